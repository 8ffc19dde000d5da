"""A live index is a model: its documents vote as those of a model file that was packed of it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from classmark import Hierarchy, TextClassifier
from classmark.explain import explain
from classmark.index import LiveIndex
from classmark.index.manifest import NAME, write_manifest
from classmark.index.storage import load_mapped, pack_strings
from classmark.persistence import save
from classmark.service.indexing import create_index, pack_index
from classmark.service.judging import evaluate
from classmark.text import TextSettings

TREE = Hierarchy.from_nested({"animal": ["owl", "gull", "cod"], "plant": ["oak", "pine"]})
LEAVES = ["owl", "gull", "cod", "oak", "pine"]
PLAIN = TextSettings(stop_words=None, stemmer=None)
TEXTS = ["hoots at night", "cries over the sea", "swims in the cold sea", "grows acorns", "grows needles"]
WORDS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=6).map(" ".join)


@pytest.fixture
def index(tmp_path):
    index = LiveIndex.create(tmp_path / "index", hierarchy=TREE, titles={"owl": "Owls"})
    index.add(list("12345"), TEXTS, [[name] for name in LEAVES])
    return index


def test_the_folder_is_a_model(index):
    model = TextClassifier.load(index.folder)
    assert model.predict(["it hoots", "acorns"]) == [["owl"], ["oak"]]
    assert model.hierarchy_ == TREE
    assert model.titles == {"owl": "Owls"}
    (why,) = explain(model, "it hoots")
    assert why.path == ["animal", "owl Owls"]
    assert [near.id for near in why.neighbours] == ["1"]


def test_what_is_added_and_deleted_counts_when_it_is_opened_again(index):
    index.add(["6"], ["a wise bird of the woods"], [["owl"]])
    index.delete(["1"])
    model = TextClassifier.load(index.folder)
    assert model.predict(["wise woods"]) == [["owl"]]
    assert "1" not in [near.id for near in explain(model, "hoots")[0].neighbours]


LABELS = st.lists(st.sampled_from([*LEAVES, "animal"]), max_size=3, unique=True)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(WORDS, LABELS), min_size=1, max_size=12),
    st.sets(st.integers(0, 11).map(str)),
    st.sampled_from(["okapi", "overlap"]),
    st.sampled_from([None, "rcut,r=2", "best-path"]),
    st.booleans(),
    st.lists(WORDS, min_size=1, max_size=3),
)
def test_it_answers_as_the_model_packed_of_it(tmp_path_factory, documents, gone, scoring, decision, given, queries):
    folder = tmp_path_factory.mktemp("live")
    tree = TREE if given else None
    if scoring == "overlap":
        # It looks at three terms. Of those that weigh the same it takes the first by their numbers, which are the order
        # of coming in an index and the alphabet in a model file: three words leave nothing to choose.
        queries = [" ".join(sorted(set(query.split()))[:3]) for query in queries]
    index = LiveIndex.create(folder / "index", text=PLAIN, scoring=scoring, hierarchy=tree, decision=decision)
    for number, (text, labels) in enumerate(documents):
        index.add([str(number)], [text], [labels])
    index.delete(gone & set(index.ids))
    if not any(labels for _, _, labels in index.documents()):
        with pytest.raises(ValueError, match="no document has a label, so that none could vote"):
            TextClassifier.load(folder / "index")
        return
    pack_index(str(folder / "index"), str(folder / "packed.classmark"))
    live, packed = TextClassifier.load(folder / "index"), TextClassifier.load(folder / "packed.classmark")
    assert [sorted(map(str, one)) for one in live.predict(queries)] == [
        sorted(map(str, one)) if isinstance(one, list) else [one] for one in packed.predict(queries)
    ]
    columns = [live.hierarchy_.position(name) for name in packed.hierarchy_.names]
    np.testing.assert_allclose(live.node_scores(queries)[:, columns], packed.node_scores(queries), rtol=1e-6)
    again = folder / "again.classmark"
    live.save(again)
    np.testing.assert_allclose(TextClassifier.load(again).node_scores(queries), live.node_scores(queries), rtol=1e-6)


def test_term_of_deleted_documents_alone_is_not_known(tmp_path):
    index = LiveIndex.create(tmp_path / "index", text=PLAIN)
    index.add(["1", "2"], ["hoots loudly", "cries"], [["owl"], ["gull"]])
    index.delete(["1"])
    model = TextClassifier.load(tmp_path / "index")
    assert model.lacks_known_terms(model.transform(["loudly", "cries", ""])).tolist() == [True, False, True]


def test_labels_are_categories_of_the_index(index):
    with pytest.raises(ValueError, match=r"document '9': 'ow'.*not a category.*\(did you mean 'owl'"):
        index.add(["8", "9"], ["a", "b"], [["owl"], ["ow"]])
    assert len(index) == 5


def test_a_decision_that_is_learned_is_refused(tmp_path):
    with pytest.raises(ValueError, match="'scut' is learned from documents held out"):
        LiveIndex.create(tmp_path / "index", decision="scut")
    assert not (tmp_path / "index").exists()


def test_categories_that_are_not_strings_are_refused(tmp_path):
    with pytest.raises(ValueError, match="the category 1 is not a string"):
        LiveIndex.create(tmp_path / "index", hierarchy=Hierarchy.flat([1, 2]))


def test_damaged_categories_are_named(index):
    (file,) = index.folder.glob("*.categories")
    file.write_bytes(file.read_bytes()[:-3])
    with pytest.raises(ValueError, match=r"00000000\.categories"):
        LiveIndex.open(index.folder)
    file.unlink()
    with pytest.raises(ValueError, match=r"index is damaged: .*00000000\.categories"):
        LiveIndex.open(index.folder)


def test_the_categories_outlive_every_write(index):
    index.add(["6"], ["x"], [["oak"]])
    index.compact()
    opened = LiveIndex.open(index.folder)
    assert opened.categories.hierarchy == TREE
    opened.verify()


def test_an_index_without_categories(tmp_path):
    index = LiveIndex.create(tmp_path / "index")
    index.add(list("12345"), TEXTS, [[name] for name in LEAVES])
    assert "categories" not in (index.folder / NAME).read_text()
    assert TextClassifier.load(index.folder).predict(["it hoots"]) == [["owl"]]


def test_a_hierarchy_file_with_the_names_beside_it(tmp_path):
    (tmp_path / "hierarchy.tsv").write_text("6\t63\n6\t64\n")
    (tmp_path / "nodes.tsv").write_text("63\tagriculture\n64\thome economics\n")
    info = create_index(str(tmp_path / "index"), hierarchy=str(tmp_path / "hierarchy.tsv"), decision="best-path")
    assert (info.categories, info.decision) == (3, "best-path")
    assert LiveIndex.open(tmp_path / "index").categories.titles == {"63": "agriculture", "64": "home economics"}


VOCABULARIES = {
    "birds.ttl": (
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <http://a/> .\n"
        ':owl skos:broader :bird ; skos:prefLabel "owls" ; skos:notation "598.97" .\n'
    ),
    "birds.tsv": "<http://a/owl>\towls\t598.97\n<http://a/bird>\tbirds\n",
}


@pytest.mark.parametrize("name", VOCABULARIES)
def test_addresses_and_notations_of_a_vocabulary(tmp_path, name):
    if name.endswith(".ttl"):
        pytest.importorskip("rdflib")
    (tmp_path / name).write_text(VOCABULARIES[name])
    create_index(str(tmp_path / "index"), hierarchy=str(tmp_path / name))
    index = LiveIndex.open(tmp_path / "index")
    (owl,) = (one for one in index.categories.hierarchy.names if one.endswith("owl"))
    index.add(["1"], ["hoots at night"], [[owl]])
    index.compact()
    pack_index(str(tmp_path / "index"), str(tmp_path / "model"))
    uris = {"owl": "http://a/owl", "bird": "http://a/bird"} if owl == "owl" else None
    for model in (TextClassifier.load(tmp_path / "index"), TextClassifier.load(tmp_path / "model")):
        assert (model.titles[owl], model.uris, model.notations) == ("owls", uris, {owl: "598.97"})


def test_addresses_that_are_not_one_for_each_category(tmp_path):
    index = LiveIndex.create(tmp_path / "index", hierarchy=TREE, uris={"owl": "http://a/owl"})
    file = index.folder / index.manifest.categories
    state = load_mapped(file)
    state["uri_bytes"], state["uri_ends"] = pack_strings(["http://a/owl"])
    checksum = save(file, {key: np.array(value) for key, value in state.items()})
    write_manifest(index.folder, replace(index.manifest, checksums={file.name: checksum}))
    with pytest.raises(ValueError, match="the categories of the index do not fit together; build the index again"):
        LiveIndex.open(index.folder)


def test_it_is_known_which_documents_are_in_the_index(index, tmp_path):
    data = tmp_path / "animals.csv"
    data.write_text("text,labels\n" + "".join(f"{text},{name}\n" for text, name in zip(TEXTS, LEAVES, strict=True)))
    with pytest.warns(UserWarning, match="trained on 5 of these 5 documents"):
        assert evaluate(str(index.folder), str(data)).seen_in_training == 5
