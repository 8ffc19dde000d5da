"""`Hierarchy`: an immutable tree or directed acyclic graph of categories."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import repeat
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, eye_array

from classmark.arrays import Integers
from classmark.errors import InputError
from classmark.hierarchy import build, formats, render
from classmark.hierarchy.build import Edge, Name
from classmark.hierarchy.indicator import canonical, narrow
from classmark.wording import meant


class Hierarchy:
    """Categories and their parents.

    Nodes stand in topological order, parents before children, level by level. The root is implicit and is not a
    category. Make one with a `from_…` method; the constructor itself takes numbered edges.

    Parameters
    ----------
    names : sequence of hashable
        The categories. Their types are kept: integers stay integers, and may stand beside strings.
    parents, children : arrays of int
        For each edge the positions in `names` of its two ends.

    Attributes
    ----------
    names : tuple
        The categories in node order.
    parents, children, ancestors : csr_array of bool, (n_nodes, n_nodes)
        A row holds the node's parents, its children, or itself and all its ancestors.
    levels : array of int
        The length of the longest path from the root; 1 for a top-level category.

    Examples
    --------
    >>> from classmark import Hierarchy
    >>> animals = Hierarchy.from_nested({"animal": {"bird": ["owl", "gull"], "fish": None}})
    >>> print(animals)
    animal
    ├── bird
    │   ├── owl
    │   └── gull
    └── fish
    >>> [animals.names[i] for i in animals.leaves]
    ['fish', 'owl', 'gull']
    """

    def __init__(self, names: Sequence[Name], parents: npt.ArrayLike, children: npt.ArrayLike) -> None:
        if not len(names):
            raise InputError("the hierarchy is empty; give at least one category")
        upper, lower = np.asarray(parents, dtype=np.int32), np.asarray(children, dtype=np.int32)
        size = len(names)
        below = csr_array((np.ones(upper.size, dtype=bool), (upper, lower)), shape=(size, size))
        levels = build.topological_levels(names, below)
        order = np.argsort(levels, kind="stable")
        self.names: tuple[Name, ...] = tuple(names[i] for i in order)
        self.levels: Integers = levels[order]
        self.children: csr_array = canonical(below[order][:, order])
        self.parents: csr_array = canonical(self.children.T.tocsr())
        self._positions = {name: position for position, name in enumerate(self.names)}
        if len(self._positions) != size:
            raise InputError("two categories have the same name; name them by their paths (Hierarchy.from_paths)")

    @classmethod
    def from_edges(cls, edges: Iterable[Edge]) -> "Hierarchy":
        """Build from `(parent, child)` pairs; the parent `None` or `"ROOT"` marks a top-level category.

        >>> Hierarchy.from_edges([(None, 1), (1, 2), (1, 3)]).names
        (1, 2, 3)
        """
        return cls(*build.number(edges))

    @classmethod
    def from_paths(cls, paths: Iterable[str | Sequence[Name]], separator: str = "/") -> "Hierarchy":
        """Build from label paths; a node is named by its whole path, so one short name may have two parents.

        A path is a string with separators (the node `b` below `a` is then called `"a/b"`) or a sequence of parts
        (it is called `("a", "b")`). Parts missing at the end of a sequence (`""`, `None`, NaN) are passed over.

        >>> Hierarchy.from_paths(["a/x", "b/x"]).names
        ('a', 'b', 'a/x', 'b/x')
        """
        return cls.from_edges(build.edges_of_paths(paths, separator))

    @classmethod
    def from_parents(cls, parents: Mapping[Name, Any]) -> "Hierarchy":
        """Build from a mapping of child to parent, `None` at the top; a list gives several parents.

        >>> Hierarchy.from_parents({"a": None, "b": "a", "c": ["a", "b"]}).names
        ('a', 'b', 'c')
        """
        return cls.from_edges(
            (parent, child)
            for child, above in parents.items()
            for parent in ((above or [None]) if isinstance(above, list | set) else [above])
        )

    @classmethod
    def from_nested(cls, nested: Mapping[Name, Any]) -> "Hierarchy":
        """Build from nested dicts; a list, `None` or an empty dict ends a branch.

        >>> Hierarchy.from_nested({"a": {"b": None}, "c": ["d"]}).names
        ('a', 'c', 'b', 'd')
        """
        return cls.from_edges(build.edges_of_nested(nested))

    @classmethod
    def from_networkx(cls, graph: Any) -> "Hierarchy":
        """Build from a `networkx.DiGraph` whose edges go from parent to child."""
        return cls.from_edges(formats.edges_of_networkx(graph))

    @classmethod
    def from_tsv(cls, path: str | Path) -> "Hierarchy":
        """Read a file of `parent<TAB>child` lines, the parent `ROOT` for a top-level category."""
        return cls._from_file(formats.read_tsv, Path(path))

    @classmethod
    def from_lshtc(cls, path: str | Path) -> "Hierarchy":
        """Read LSHTC's `hierarchy.txt`: `parent child` lines; the ids become strings."""
        return cls._from_file(formats.read_lshtc, Path(path))

    @classmethod
    def from_rcv1(cls, path: str | Path) -> "Hierarchy":
        """Read RCV1's `rcv1.topics.hier.orig`."""
        return cls._from_file(lambda file: formats.read_rcv1(file).edges, Path(path))

    @classmethod
    def from_obo(cls, path: str | Path, relations: Iterable[str] = ("is_a", "part_of")) -> "Hierarchy":
        """Read the terms of an OBO ontology; `relations` says what makes a parent."""
        return cls._from_file(lambda file: formats.read_obo(file, relations).edges, Path(path))

    @classmethod
    def from_skos(cls, path: str | Path, names: Literal["local", "iri"] = "local") -> "Hierarchy":
        """Read a SKOS thesaurus, its categories called by the last part of their addresses or by all of it."""
        return cls._from_file(lambda file: formats.read_skos(file, names=names).edges, Path(path))

    @classmethod
    def from_annif(cls, path: str | Path) -> "Hierarchy":
        """Read Annif's flat vocabulary, TSV or CSV; its categories are called by their addresses."""
        reader = formats.read_annif_csv if Path(path).suffix.lower() == ".csv" else formats.read_annif_tsv
        return cls._from_file(lambda file: reader(file).edges, Path(path))

    @classmethod
    def _from_file(cls, read: Callable[[Path], Iterable[Edge]], path: Path) -> "Hierarchy":
        """Build from the edges of a file, which every error names."""
        if not path.is_file():
            raise FileNotFoundError(f"{path}: there is no such hierarchy file; check the path")
        try:
            return cls.from_edges(read(path))
        except ValueError as error:
            raise InputError(str(error) if str(error).startswith(str(path)) else f"{path}: {error}") from None

    @classmethod
    def flat(cls, names: Iterable[Name]) -> "Hierarchy":
        """Build the hierarchy of one level.

        >>> Hierarchy.flat(["ham", "spam"]).depth
        1
        """
        return cls.from_edges((None, name) for name in names)

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Name]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        try:
            return name in self._positions
        except TypeError:
            return False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hierarchy):
            return NotImplemented
        return self is other or set(self.edges()) == set(other.edges())

    def __hash__(self) -> int:
        return hash(frozenset(self.edges()))

    def __repr__(self) -> str:
        kind = "tree" if self.is_tree else "DAG"
        return f"<Hierarchy: a {kind} of {len(self)} categories, {self.leaves.size} leaves, depth {self.depth}>"

    def __str__(self) -> str:
        return render.draw(self)

    def _repr_html_(self) -> str:
        return render.hierarchy_html(self)

    def draw(self, max_nodes: int | None = None, titles: Mapping[Name, str] | None = None) -> str:
        """Draw the tree as text, at most `max_nodes` lines of it, with readable names where codes have them."""
        return render.draw(self, max_nodes, titles)

    def position(self, name: Name) -> int:
        """Give a category's place in node order."""
        try:
            return self._positions[name]
        except (KeyError, TypeError):
            raise InputError(f"{name!r} is not a category of the hierarchy{meant(name, self.names)}") from None

    def positions(self, names: Iterable[Any]) -> Integers:
        """Give the places of names in node order, -1 for what is no category.

        >>> Hierarchy.flat("ab").positions(["b", "c", []])
        array([ 1, -1, -1], dtype=int32)
        """
        listed = list(names)
        try:
            found = map(self._positions.get, listed, repeat(-1))
            return np.fromiter(found, dtype=np.int32, count=len(listed))
        except TypeError:  # some are not hashable
            return np.array([self._positions[name] if name in self else -1 for name in listed], dtype=np.int32)

    def parent_positions(self, node: int) -> Integers:
        """Give the positions of a node's parents."""
        return self.parents.indices[self.parents.indptr[node] : self.parents.indptr[node + 1]]

    def child_positions(self, node: int) -> Integers:
        """Give the positions of a node's children."""
        return self.children.indices[self.children.indptr[node] : self.children.indptr[node + 1]]

    @property
    def depth(self) -> int:
        """The deepest level."""
        return int(self.levels[-1])

    @cached_property
    def is_tree(self) -> bool:
        """Whether no category has two parents."""
        return bool((np.diff(self.parents.indptr) <= 1).all())

    @cached_property
    def tops(self) -> Integers:
        """The positions of the top-level categories."""
        return np.flatnonzero(self.levels == 1).astype(np.int32)

    @cached_property
    def leaves(self) -> Integers:
        """The positions of the categories without children."""
        return np.flatnonzero(np.diff(self.children.indptr) == 0).astype(np.int32)

    @cached_property
    def ancestors(self) -> csr_array:
        """The closure: a row holds the node itself and all its ancestors."""
        closure = canonical(self.parents + eye_array(len(self), dtype=bool, format="csr"))
        # Squaring doubles the length of the paths covered, so a depth of 20 takes five products.
        for _ in range(max(0, int(np.ceil(np.log2(max(1, self.depth - 1)))))):
            closure = closure @ closure
        return canonical(closure)

    def close(self, labels: csr_array) -> csr_array:
        """Add all ancestors to label sets, given and returned as an indicator over the nodes.

        >>> chain = Hierarchy.from_paths(["a/b/c"])
        >>> chain.close(csr_array([[False, True, False]])).toarray()
        array([[ True,  True, False]])
        """
        return canonical(narrow(csr_array(labels.astype(bool))) @ self.ancestors)

    def own(self, labels: csr_array) -> csr_array:
        """Keep the labels without a labelled descendant, a document's own.

        >>> chain = Hierarchy.from_paths(["a/b/c"])
        >>> chain.own(csr_array([[True, True, False]])).toarray()
        array([[False,  True, False]])
        """
        labels = narrow(csr_array(labels.astype(bool)))
        above = (labels @ self._strict_ancestors).astype(bool)
        return canonical(labels > above)

    @cached_property
    def _strict_ancestors(self) -> csr_array:
        return canonical(self.ancestors > eye_array(len(self), dtype=bool, format="csr"))

    def is_consistent(self, labels: csr_array) -> npt.NDArray[np.bool_]:
        """Say for each label set whether it holds every ancestor of its labels."""
        labels = canonical(labels)
        return np.equal(np.diff(self.close(labels).indptr), np.diff(labels.indptr))

    def path(self, name: Name) -> tuple[Name, ...]:
        """Give one path from the top down to a category, by first parents in a DAG.

        >>> Hierarchy.from_parents({"a": None, "b": None, "c": ["a", "b"]}).path("c")
        ('a', 'c')
        """
        nodes = [self.position(name)]
        while (above := self.parent_positions(nodes[-1])).size:
            nodes.append(int(above[0]))
        return tuple(self.names[node] for node in reversed(nodes))

    def paths(self, name: Name) -> list[tuple[Name, ...]]:
        """Give every path from the top down to a category; one in a tree, perhaps many in a DAG.

        >>> Hierarchy.from_parents({"a": None, "b": None, "c": ["a", "b"]}).paths("c")
        [('a', 'c'), ('b', 'c')]
        """
        found: list[tuple[Name, ...]] = []
        stack: list[tuple[int, tuple[Name, ...]]] = [(self.position(name), (name,))]
        while stack:
            node, path = stack.pop()
            above = self.parent_positions(node)
            if not above.size:
                found.append(path)
            stack += [(int(i), (self.names[i], *path)) for i in above[::-1]]
        return found

    def subtree(self, name: Name) -> "Hierarchy":
        """Give the hierarchy of a category and everything below it, the category at the top."""
        inside = np.flatnonzero(self.ancestors[:, [self.position(name)]].toarray())
        below = self.children[inside][:, inside].tocoo()
        return Hierarchy([self.names[i] for i in inside], *below.coords)

    def edges(self) -> list[Edge]:
        """Give the `(parent, child)` pairs, `None` above a top-level category, children in node order."""
        upper: list[Edge] = [(None, self.names[i]) for i in self.tops]
        lower = self.parents.tocoo()
        return upper + [(self.names[p], self.names[c]) for c, p in zip(*lower.coords, strict=True)]

    def to_networkx(self) -> Any:
        """Give a `networkx.DiGraph` with edges from parent to child."""
        return formats.to_networkx(self.names, self.edges())

    def to_tsv(self, path: str | Path) -> None:
        """Write the hierarchy as `parent<TAB>child` lines."""
        formats.write_tsv(self, Path(path))
