"""Names imported when first used."""

import subprocess
import sys

import pytest

from classmark.lazy import names_of


def test_a_package_has_its_names_and_no_others():
    imported = names_of("classmark.birds", {"Hierarchy": "hierarchy"})
    assert imported("Hierarchy").__module__ == "classmark.hierarchy.core"
    with pytest.raises(AttributeError, match=r"module 'classmark\.birds' has no attribute 'Owl'"):
        imported("Owl")


def test_the_methods_are_listed_without_what_learns():
    program = "from classmark.service import listing; listing.methods(settings=False)"
    said = f"import sys; {program}; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True).stdout == "False\n"
