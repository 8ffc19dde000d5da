"""The network and how it learns, on a tiny BERT: the loss by its formula, and runs that were stopped."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="fine-tuning needs torch")
torch.set_num_threads(1)
transformers = pytest.importorskip("transformers", reason="fine-tuning needs transformers")

from classmark.neural.learning import Learning, NotANumberError, Schedule  # noqa: E402
from classmark.neural.network import Network, Rows, Targets, losses  # noqa: E402
from classmark.text.encoders.examples import Examples, Ragged, batches  # noqa: E402

N_NODES, N_OWN = 5, 3


def tiny(dropout=0.1):
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=40, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32
    )
    return Network(transformers.BertModel(config), torch.randn(N_OWN, 16), N_NODES, dropout)


def examples(count=12, seed=0):
    random = np.random.default_rng(seed)
    tokens = Ragged.of([list(random.integers(1, 40, size)) for size in random.integers(1, 9, count)])
    own = Ragged.of([[int(i % 3)] if i % 4 else [] for i in range(count)])
    closed = Ragged.of([[0, 1 + int(i % 3)] if i % 4 else [] for i in range(count)])
    return Examples(tokens, own, closed, np.ones(count, np.float32))


def slow_loss(own, closed, t, y, weight):
    """The formula of `network`, one number at a time."""
    found = []
    for i in range(len(own)):
        log_sum = np.log(sum(np.exp(value) for value in own[i]))
        chosen = -sum(t[i][c] * (own[i][c] - log_sum) for c in range(len(own[i])))
        told = sum(np.log(1 + np.exp(closed[i][n])) - y[i][n] * closed[i][n] for n in range(len(closed[i])))
        found.append(chosen + weight * told)
    return found


def dense(rows, width, *, in_parts=False):
    found = np.zeros((len(rows), width), dtype=np.float32)
    for place, start, stop in zip(range(len(rows)), rows.starts[:-1], rows.starts[1:], strict=True):
        found[place, rows.values[start:stop]] = 1 / (stop - start) if in_parts and stop > start else 1
    return found


def test_the_loss_by_its_formula():
    network, some = tiny().eval(), examples()
    ids, mask = (torch.from_numpy(array) for array in some.tokens.padded(8))
    t, y = dense(some.own, N_OWN, in_parts=True), dense(some.closed, N_NODES)
    logits = network(ids, mask)
    found = losses(logits, Targets(torch.from_numpy(t), torch.from_numpy(y)), 0.3).detach().numpy()
    own, closed = (one.detach().numpy().astype(np.float64) for one in logits)
    by_hand = slow_loss(own, closed, t, y, 0.3)
    assert found == pytest.approx(by_hand, rel=1e-5)
    learning = Learning(network, some, Schedule(closed_weight=0.3, max_tokens=8), seed=0, device="cpu")
    assert float(learning.loss_of(some).detach()) == pytest.approx(sum(by_hand), rel=1e-5)


def test_a_sampled_loss_is_that_of_the_rows_it_looks_at():
    """Each row that is no label stands for as many others as were not drawn."""
    network, some = tiny().eval(), examples(4)
    ids, mask = (torch.from_numpy(array) for array in some.tokens.padded(8))
    rows, counts = torch.tensor([0, 1, 3]), torch.tensor([1.0, 1.0, 2.5])
    kept = Rows(rows, counts)
    sampled = network(ids, mask, None, kept)
    whole = network(ids, mask)
    assert torch.allclose(sampled.closed, whole.closed[:, rows])
    y = dense(some.closed, N_NODES)[:, rows]
    t = dense(some.own, N_OWN, in_parts=True)
    found = losses(sampled, Targets(torch.from_numpy(t), torch.from_numpy(y)), 1.0, None, kept).detach().numpy()
    told = np.logaddexp(0, sampled.closed.detach().numpy()) - y * sampled.closed.detach().numpy()
    own = whole.own.detach().numpy()
    chosen = -(t * (own - np.log(np.exp(own).sum(axis=1, keepdims=True)))).sum(axis=1)
    assert found == pytest.approx(chosen + told @ counts.numpy(), rel=1e-4)


def test_the_mean_of_sampled_losses_is_the_loss():
    network, some = tiny().eval(), examples(3)
    whole = Learning(network, some, Schedule(max_tokens=8), seed=0, device="cpu")
    part = Learning(network, some, Schedule(max_tokens=8, sampled=1), seed=0, device="cpu")
    with torch.no_grad():
        found = np.mean([float(part.loss_of(some)) for _ in range(300)])
        assert found == pytest.approx(float(whole.loss_of(some)), rel=0.03)


def test_padding_counts_for_nothing():
    network, some = tiny().eval(), examples()
    ids, mask = (torch.from_numpy(array) for array in some.tokens.padded(8))
    together = network(ids, mask).own.detach().numpy()
    for row in range(len(some)):
        alone = some.tokens.take(np.array([row])).padded(8)
        assert network(*map(torch.from_numpy, alone)).own.detach().numpy()[0] == pytest.approx(together[row], abs=1e-5)


def test_it_learns_and_the_same_seed_learns_the_same():
    found = []
    for _ in range(2):
        learning = Learning(
            tiny(), examples(), Schedule(epochs=6, batch_size=4, learning_rate=5e-3), seed=1, device="cpu"
        )
        found.append((list(learning.run()), learning.network.own.detach().numpy()))
    assert found[0][0] == found[1][0]
    assert (found[0][1] == found[1][1]).all()
    assert found[0][0][-1] < 0.7 * found[0][0][0]


def test_a_run_taken_up_again_goes_on_as_if_it_had_not_been_stopped(tmp_path):
    schedule = Schedule(epochs=4, batch_size=4, learning_rate=5e-3)
    whole = Learning(tiny(), examples(), schedule, seed=1, device="cpu")
    for epoch, _ in enumerate(whole.run(), 1):
        whole.save(tmp_path / str(epoch), "mark")
    again = Learning(tiny(), examples(), schedule, seed=7, device="cpu")
    again.resume(tmp_path / "2", "mark")
    assert again.means == whole.means[:2]
    list(again.run())
    assert again.means == whole.means
    for name, value in whole.network.state_dict().items():
        assert torch.equal(value, again.network.state_dict()[name]), name
    with pytest.raises(ValueError, match="learned from other documents, or by other settings"):
        again.resume(tmp_path / "2", "another mark")


def test_measuring_changes_nothing():
    schedule = Schedule(epochs=2, batch_size=4, learning_rate=5e-3)
    whole = list(Learning(tiny(), examples(), schedule, seed=1, device="cpu").run())
    measured = Learning(tiny(), examples(), schedule, seed=1, device="cpu")
    assert measured.measure() > 0
    assert list(measured.run()) == whole


def test_a_loss_that_is_no_number_stops():
    network = tiny()
    network.own_bias.data[0] = float("nan")
    with pytest.raises(NotANumberError, match="the loss is not a number in epoch 1"):
        list(Learning(network, examples(), Schedule(), seed=0, device="cpu").run())


@pytest.mark.parametrize("seed", [None, 3])
def test_batches_have_every_text_once(seed):
    lengths = np.random.default_rng(0).integers(0, 9, 137)
    random = None if seed is None else np.random.default_rng(seed)
    assert sorted(np.concatenate(list(batches(lengths, 8, random)))) == list(range(137))


def test_ragged_rows():
    rows = Ragged.of([[1, 2, 3], [], [4]])
    padded, own = rows.padded(2)
    assert padded.tolist() == [[1, 2], [0, 0], [4, 0]]
    assert own.tolist() == [[True, True], [False, False], [True, False]]
    assert rows.take(np.array([2, 1, 0])).values.tolist() == [4, 1, 2, 3]
