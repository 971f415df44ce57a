"""The transformed gradient is what gradient descent on W and ψ moves the logits by."""

import torch

from paper.update_norms import transformed


def test_a_step_on_both_factors_moves_the_logits_by_the_transformed_gradient():
    random = torch.Generator().manual_seed(0)
    weight, embedding, direction = (
        torch.randn(*shape, generator=random, dtype=torch.float64)
        for shape in ((1, 7, 4), (1, 1, 4), (1, 1, 7))
    )
    factors = [weight.requires_grad_(), embedding.requires_grad_()]
    logits = embedding @ weight.mT
    loss = (logits.sigmoid() * direction).sum()
    gradient = torch.autograd.grad(loss, logits, retain_graph=True)[0]
    steps = torch.autograd.grad(loss, factors)
    rate = 0.1
    new_weight, new_embedding = (
        factor.detach() - rate * step for factor, step in zip(factors, steps, strict=True)
    )
    moved = new_embedding @ new_weight.mT - logits.detach()
    expected, _ = transformed(weight.detach(), embedding.detach(), gradient, rate)
    torch.testing.assert_close(moved, -rate * expected)
