"""Opening a cluster: what is refused in one line, and what is warned of."""

import sys

import pytest

pytest.importorskip("distributed")

import classmark
from classmark.parallel import elsewhere
from classmark.parallel.cluster import connecting
from classmark.parallel.cluster.connecting import check_kinds, cluster
from classmark.parallel.cluster.hosting import kind
from tests.farms import Farm, until


def test_nobody_at_an_address(monkeypatch):
    monkeypatch.setattr(connecting, "SECONDS_TO_CONNECT", 0.5)
    with (
        pytest.raises(ValueError, match=r"cluster tcp://127.0.0.1:1: nobody answered within 0 s"),
        cluster("tcp://127.0.0.1:1"),
    ):
        pass
    assert elsewhere() is None


@pytest.mark.parametrize("where", ["local:0", "local:many", "local:100000", 7])
def test_what_is_no_cluster(where):
    with pytest.raises(ValueError, match="local"), cluster(where):
        pass


def test_no_default_client():
    with pytest.raises(ValueError, match="there is no default client"), cluster():
        pass


def test_a_client_stays_open(farm):
    from distributed import Client

    with Client(farm.exactly(1).address, set_as_default=False) as client:
        with classmark.cluster(client) as place:
            assert place.client is client
            assert elsewhere() is place
        assert client.status == "running"


def test_other_versions_are_refused_and_other_processors_warned_of():
    ours = kind()
    with pytest.raises(ValueError, match=r"worker w has python 3.1, and this process"):
        check_kinds({"w": ours._replace(python="3.1")}, ours)
    with pytest.warns(UserWarning, match=r"worker w has processor pdp11 .*: the last digits of results may differ"):
        check_kinds({"w": ours._replace(processor="pdp11")}, ours)


def test_a_worker_of_another_version(tmp_path):
    """Real: a worker that finds another version of classmark first."""
    metadata = tmp_path / "classmark-9.9.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: classmark\nVersion: 9.9\n")
    farm = Farm(tmp_path)
    try:
        farm.start_worker(PYTHONPATH=":".join([str(tmp_path), *filter(None, sys.path)]))
        until(farm.known, "the worker")
        with pytest.raises(ValueError, match=r"has classmark 9.9, and this process .*; install the same on both"):
            farm.cluster(1).__enter__()
    finally:
        farm.close()


def test_no_worker(tmp_path, monkeypatch):
    monkeypatch.setattr(connecting, "SECONDS_TO_COME", 0.5)
    farm = Farm(tmp_path)
    try:
        with pytest.raises(ValueError, match=r"no worker has come .* start one: dask worker tcp://"):
            cluster(farm.address).__enter__()
    finally:
        farm.close()
