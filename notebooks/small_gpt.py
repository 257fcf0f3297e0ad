"""A small GPT, its training with a log, and the gradient norm of single documents."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader

VOCABULARY = 4096
CONTEXT = 512
WIDTH = 64
HEADS = 4
LAYERS = 2
WARM_UP = 30
IGNORED = -100


class Block(nn.Module):
    """Attention and a feed-forward layer, each after a norm and beside the residual stream."""

    def __init__(self) -> None:
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)])
        self.attention = nn.Linear(WIDTH, 3 * WIDTH)
        self.joined = nn.Linear(WIDTH, WIDTH)
        self.wide = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, stream: Tensor) -> Tensor:
        batch, length, _ = stream.shape
        parts = self.attention(self.norms[0](stream)).view(batch, length, 3, HEADS, WIDTH // HEADS)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        stream = stream + self.joined(seen.transpose(1, 2).reshape(batch, length, WIDTH))
        return stream + self.wide(self.norms[1](stream))


class GPT(nn.Module):
    """A decoder of two layers; input and output share the embedding."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.position = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
        self.norm = nn.LayerNorm(WIDTH)
        nn.init.normal_(self.embedding.weight, std=0.02)
        nn.init.normal_(self.position.weight, std=0.02)

    def forward(self, ids: Tensor, targets: Tensor) -> Tensor:
        """Returns the mean loss of the targets that count."""
        stream = self.embedding(ids) + self.position.weight[: ids.shape[1]]
        counts = targets != IGNORED
        stream = self.norm(self.blocks(stream)[counts])
        return functional.cross_entropy(stream @ self.embedding.weight.T, targets[counts])


def padded(documents: Sequence[list[int]]) -> tuple[Tensor, Tensor]:
    """Returns ids and targets of documents, a row each, as long as the longest."""
    length = max(len(each) for each in documents) - 1
    ids = torch.zeros(len(documents), length, dtype=torch.long)
    targets = torch.full((len(documents), length), IGNORED)
    for row, each in enumerate(documents):
        ids[row, : len(each) - 1] = torch.tensor(each[:-1])
        targets[row, : len(each) - 1] = torch.tensor(each[1:])
    return ids, targets


class Training:
    """A run of one epoch over token lists, shuffled as ``DataLoader(shuffle=True)`` does it with *seed*.

    Attributes:
        model: the model as it is.
        batches: the numbers of the documents of each step.
        log: of each step, its number from 1, loss, and gradient norm before clipping.
    """

    def __init__(self, documents: Sequence[list[int]], *, seed: int, batch: int, rate: float = 2e-3) -> None:
        torch.manual_seed(seed)
        self.documents = documents
        self.model = GPT()
        order = torch.Generator().manual_seed(seed)
        numbers = range(len(documents))
        loader = DataLoader(numbers, batch, shuffle=True, generator=order, collate_fn=list, drop_last=True)
        self.batches: list[list[int]] = list(loader)
        self.log: list[dict[str, float]] = []
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=rate, betas=(0.9, 0.95), weight_decay=0.1)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(self.optimizer, lambda step: min(1.0, (step + 1) / WARM_UP))

    def train(self, until: int | None = None) -> None:
        """Trains to the end of step *until*, of the last step when None."""
        for numbers in self.batches[len(self.log) : until]:
            loss = self.model(*padded([self.documents[each][:CONTEXT] for each in numbers]))
            self.optimizer.zero_grad()
            loss.backward()
            norm = nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            self.schedule.step()
            self.log.append({"step": len(self.log) + 1, "loss": loss.item(), "grad_norm": norm.item()})


def gradient_norms(model: GPT, documents: Sequence[list[int]]) -> list[float]:
    """Returns the norm of the gradient of each document's own mean loss; the model is not changed."""
    norms = []
    for each in documents:
        model.zero_grad()
        model(*padded([each[:CONTEXT]])).backward()
        norms.append(nn.utils.get_total_norm([weight.grad for weight in model.parameters()]).item())
    model.zero_grad()
    return norms
