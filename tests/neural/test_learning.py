"""The network and how it learns, on a tiny BERT: the loss by its formula, and runs that were stopped."""

import copy

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="fine-tuning needs torch")
transformers = pytest.importorskip("transformers", reason="fine-tuning needs transformers")

from classmark.neural.examples import Examples, Ragged, batches  # noqa: E402
from classmark.neural.learning import Learning, NotANumberError, Schedule, answers  # noqa: E402
from classmark.neural.network import Network, loss  # noqa: E402

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


def test_the_loss_by_its_formula():
    network, some = tiny().eval(), examples()
    ids, mask = (torch.from_numpy(array) for array in some.tokens.padded(8))
    t, y = some.own.indicator(N_OWN, in_parts=True), some.closed.indicator(N_NODES)
    logits = network(ids, mask)
    found = loss(logits, torch.from_numpy(t), torch.from_numpy(y), 0.3).detach().numpy()
    own, closed = (one.detach().numpy().astype(np.float64) for one in logits)
    assert found == pytest.approx(slow_loss(own, closed, t, y, 0.3), rel=1e-5)


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
        told = []
        learning = Learning(tiny(), examples(), Schedule(epochs=6, batch_size=4, rate=5e-3), seed=1, device="cpu")
        learning.run(lambda epoch, mean, told=told: told.append(mean))
        found.append((told, learning.network.own.detach().numpy()))
    assert found[0][0] == found[1][0]
    assert (found[0][1] == found[1][1]).all()
    assert found[0][0][-1] < 0.7 * found[0][0][0]


def test_a_run_taken_up_again_goes_on_as_if_it_had_not_been_stopped():
    schedule = Schedule(epochs=4, batch_size=4, rate=5e-3)
    whole = Learning(tiny(), examples(), schedule, seed=1, device="cpu")
    kept = {}
    whole.run(lambda epoch, mean: kept.update({epoch: copy.deepcopy(whole.checkpoint())}))
    again = Learning(tiny(), examples(), schedule, seed=7, device="cpu")
    again.resume(kept[2])
    again.run()
    for name, value in whole.network.state_dict().items():
        assert torch.equal(value, again.network.state_dict()[name]), name


def test_a_loss_that_is_no_number_stops():
    network = tiny()
    network.own_bias.data[0] = float("nan")
    with pytest.raises(NotANumberError, match="no number in epoch 1; lower the rate"):
        Learning(network, examples(), Schedule(), seed=0, device="cpu").run()


def test_answers_come_for_every_text():
    network, some = tiny(), examples()
    seen = np.concatenate([rows for rows, _, _ in answers(network, some.tokens, max_tokens=8, device="cpu", size=5)])
    assert sorted(seen) == list(range(len(some)))


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
    assert Ragged.of([[0, 2], []]).indicator(3, in_parts=True).tolist() == [[0.5, 0, 0.5], [0, 0, 0]]
