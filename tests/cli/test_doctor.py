from classmark.service import checkup
from classmark.service.checkup import Finding


def test_in_words(run):
    said = run("doctor", "--quick").out
    assert "\n  ok       numpy " in said
    assert "self-test" not in said
    assert said.splitlines()[-1].endswith(" s)")


def test_json(run):
    found = run("doctor", "--quick", "--json").json
    assert found["failed"] == 0
    assert {"part", "name", "said", "state"} <= set(found["findings"][0])


def test_something_that_failed(monkeypatch, capfd):
    from tests.cli.conftest import run_here

    sick = Finding(part="owls", name="wing", said="broken", state="failed", remedy="let it rest")
    monkeypatch.setattr(checkup, "PARTS", {"owls": lambda: [sick]})
    result = run_here("doctor", "--quick")
    assert result.code == 1
    assert "  FAILED   wing             broken\n                            → let it rest\n" in result.out
    assert result.out.splitlines()[-1].startswith("1 failed (")
