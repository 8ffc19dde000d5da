import pytest

from classmark.data import NodeText
from classmark.service import training
from classmark.service.corpora import read
from classmark.service.recipes import Recipe, named_recipes
from classmark.service.training import fit
from tests.service.animals import TEXTS, TREE


def named(*names, **shared):
    return named_recipes(names, Recipe(**shared))


class TestRecipe:
    def test_builds_what_it_says(self, data):
        recipe = Recipe(
            "logistic", settings={"C": 2}, selection="chi-square,n_terms=3", decision="tuned", seed=5, jobs=2
        )
        built = recipe.build(read(data)).get_params(deep=False)
        assert built == {
            "method": "logistic",
            "settings": {"C": 2},
            "hierarchy": TREE,
            "titles": None,
            "uris": None,
            "notations": None,
            "descriptions": None,
            "selection": "chi-square,n_terms=3",
            "decision": "tuned",
            "calibration": None,
            "random_state": 5,
            "n_jobs": 2,
        }

    def test_what_a_corpus_knows_of_its_categories(self, data):
        corpus = read(data)
        corpus.nodes.update({"owl": NodeText("owls", "hoot", "http://a/owl", "598.97"), "oak": NodeText("oaks")})
        built = Recipe().build(corpus)
        assert (built.titles, built.descriptions) == ({"owl": "owls", "oak": "oaks"}, {"owl": "hoot"})
        assert (built.uris, built.notations) == ({"owl": "http://a/owl"}, {"owl": "598.97"})

    def test_its_defaults_are_those_of_the_classifier(self, data, model):
        fitted, seconds = fit(read(data).select(["train"]), Recipe())
        assert seconds > 0
        assert fitted.node_scores(TEXTS).tobytes() == model.node_scores(TEXTS).tobytes()

    @pytest.mark.parametrize(
        ("wrong", "words"),
        [
            ({"method": "nonsense"}, "unknown method 'nonsense'"),
            ({"settings": {"nonsense": 1}}, "no setting 'nonsense'"),
            (
                {"settings": {"language": "danish", "stop_words": "language"}},
                "setting language=danish: .* set stop_words=none too",
            ),
            ({"settings": {"token_pattern": "("}}, "token_pattern='\\('.*no regular expression"),
            ({"selection": "nonsense"}, "unknown selection 'nonsense'"),
            ({"decision": "nonsense"}, "unknown decision 'nonsense'"),
            ({"jobs": 0}, "jobs=0"),
        ],
    )
    def test_a_wrong_request_is_found_out_before_documents_are_read(self, tmp_path, wrong, words):
        with pytest.raises(ValueError, match=words) as error:
            training.train("no documents there", str(tmp_path / "model"), Recipe(**wrong))
        assert "\n" not in str(error.value)


class TestNamedRecipe:
    def test_method_and_decision(self):
        assert named("logistic") == [("logistic", Recipe("logistic"))]
        assert named(" logistic+scut ") == [("logistic+scut", Recipe("logistic", decision="scut"))]

    def test_what_all_methods_share(self):
        [(_, recipe)] = named("logistic", selection="chi-square,share=0.5", seed=3, jobs=2)
        assert recipe == Recipe("logistic", selection="chi-square,share=0.5", seed=3, jobs=2)
