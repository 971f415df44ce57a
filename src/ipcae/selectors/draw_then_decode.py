"""The model of the subset method: a drawn mask, followed by a decoder of all columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from ipcae.decoders import Mlp
from ipcae.models import FixedSelection, Params, join, part
from ipcae.ops.subset_select import inclusion_probabilities, largest_subset
from ipcae.regularizers import FeatureCosts
from ipcae.runs import Stream
from ipcae.schedules import Progress
from ipcae.selection import Selection
from ipcae.selectors.constrained_model import ConstrainedModel
from ipcae.selectors.price import adjust_price, price_tensors
from ipcae.training import stacked_features

if TYPE_CHECKING:
    from ipcae.selectors.subset import Subset

_AVOIDED = -1e3  # added to θ of avoided units, which are then drawn last


@dataclass(frozen=True)
class DrawThenDecode(ConstrainedModel):
    """Rows are multiplied by masks of K units; a decoder of all D columns maps them to outputs.

    Included columns are always in the mask, excluded ones never, and the columns of a group enter
    it together. Within a budget, units have a price, and a draw may contain nothing in place of a
    unit (:mod:`ipcae.selectors.price`).

    Shape: ``buffer:counts`` (R,), the number of units to draw; ``buffer:offset`` (R, U), added to
    θ; ``buffer:unit_of`` (R, D), the position of a column's unit among the drawn ones, followed by
    one that is always and one that is never in the mask.

    Examples
    --------
    >>> from ipcae.decoders import Mlp
    >>> from ipcae.selectors import Subset
    >>> model = DrawThenDecode(Subset(), Mlp(), n_features=8, n_selected=3, n_outputs=2)
    >>> params = model.init(Stream([0]))
    >>> model.predict(params, torch.ones(5, 8)).shape
    torch.Size([1, 5, 2])
    """

    selector: Subset
    costs: FeatureCosts | None = None

    @property
    def needs_new_decoders(self) -> bool:
        """Whether the decoder cannot be restricted to some of its inputs."""
        return not isinstance(self.decoder, Mlp)

    @property
    def final_model(self) -> FixedSelection:
        """The model with a decoder of the selected columns only."""
        n_inputs = self.constraints.most_columns(self.n_selected)
        return FixedSelection(self.decoder, n_inputs, self.n_outputs)

    def init(self, stream: Stream) -> Params:
        """Draw the initial tensors of both parts."""
        given, n_runs, device = self.constraints, len(stream.seeds), stream.device
        n_nothing = self.n_to_choose if self.priced else 0
        n_units = len(given.candidates) + n_nothing
        decoder = self.decoder.init(self.n_features, self.n_outputs, stream)
        params = join(sampler=self.selector.init(n_units, stream), decoder=decoder)
        counts = torch.full((n_runs,), float(self.n_to_choose), device=device)
        params["buffer:counts"] = counts.clamp(max=n_units)
        avoided = ~np.isin(given.candidates, given.preferred)
        if self.priced or avoided.any():
            offset = torch.zeros(n_runs, n_units, device=device)
            offset[:, : len(avoided)] = torch.from_numpy(avoided).to(device) * _AVOIDED
            params["buffer:offset"] = offset
        if self.priced:
            prices = price_tensors(given, self.n_to_choose, params["buffer:offset"])
            params |= join(price=prices)
        if given.restricts:
            params["buffer:unit_of"] = self._unit_of(n_units).repeat(n_runs, 1).to(device)
        return params

    def _unit_of(self, n_units: int) -> Tensor:
        given = self.constraints
        position = np.full(len(given.units), n_units + 1)
        position[given.included_units] = n_units
        position[given.candidates] = np.arange(len(given.candidates))
        return torch.from_numpy(position[given.unit_of])

    def narrowed(self, params: Params, counts: Sequence[int]) -> Params:
        """Return the initial tensors for runs with these numbers of features."""
        before = params["buffer:counts"]
        n_included = len(self.constraints.included_units)
        wanted = torch.tensor(counts, dtype=before.dtype, device=before.device) - n_included
        return {**params, "buffer:counts": torch.minimum(wanted.clamp(min=0), before)}

    def theta(self, params: Params) -> Tensor:
        """Return θ of the candidates, including prices. Shape: -> (R, U)."""
        theta = self.selector.theta(part(params, "sampler"))
        offset = params.get("buffer:offset")
        return theta if offset is None else theta + offset

    def predict(
        self, params: Params, rows: Tensor, progress: Progress = 1.0, stream: Stream | None = None
    ) -> Tensor:
        """Map rows to outputs. Shape: (B, D) -> (R, B, O)."""
        theta, counts = self.theta(params), params["buffer:counts"]
        if stream is None:
            return self._predict_hard(params, rows, largest_subset(theta, counts))
        masks = self.selector.masks(theta, counts, len(rows), progress, stream)
        masked = rows * self._of_columns(params, masks)
        return self.decoder.apply(part(params, "decoder"), masked, stream)

    def _of_columns(self, params: Params, masks: Tensor) -> Tensor:
        """Return the masks of columns, given those of units. Shape: (..., U) -> (..., D)."""
        unit_of = params.get("buffer:unit_of")
        if unit_of is None:
            return masks[..., : self.n_features]
        ends = functional.pad(functional.pad(masks, (0, 1), value=1.0), (0, 1))
        return ends.index_select(-1, unit_of[0])

    def _predict_hard(self, params: Params, rows: Tensor, mask: Tensor) -> Tensor:
        """Map rows to outputs, reading only the columns of one mask per run, (R, U)."""
        mask = self._of_columns(params, mask)
        if self.needs_new_decoders:
            return self.decoder.apply(part(params, "decoder"), rows * mask.unsqueeze(1))
        final = self.final_model
        features = mask.argsort(dim=-1, descending=True, stable=True)[:, : final.n_selected]
        return final.predict(self.restricted(params, features, mask.gather(1, features)), rows)

    def predict_with_penalty(
        self, params: Params, rows: Tensor, progress: Progress, stream: Stream
    ) -> tuple[Tensor, Tensor | None]:
        """Return the outputs, and the mean cost of what is drawn if features have costs."""
        outputs = self.predict(params, rows, progress, stream)
        if self.costs is None:
            return outputs, None
        theta, counts = self.theta(params), params["buffer:counts"]
        theta = theta / self.selector.temperature_at(progress)
        probability = inclusion_probabilities(theta, counts)
        return outputs, self.costs.mean(probability, counts)

    def after_step(self, params: Params, progress: Progress, step_size: Tensor) -> None:
        """Adjust the price of the units, if there is one."""
        if self.priced:
            probability = inclusion_probabilities(self.theta(params), params["buffer:counts"])
            adjust_price(
                part(params, "price"), probability, params["buffer:offset"], self.n_to_choose
            )

    def describe(self, params: Params, progress: Progress) -> dict[str, Tensor]:
        """Return the temperature, and the mean probability of the K units with the largest θ."""
        theta, counts = self.theta(params), params["buffer:counts"]
        temperature = theta.new_ones(len(theta)) * self.selector.temperature_at(progress)
        probability = inclusion_probabilities(theta / temperature.unsqueeze(1), counts)
        certain = (probability * largest_subset(theta, counts)).sum(-1) / counts.clamp(min=1)
        return {"temperature": temperature, "selected_probability": certain}

    def settled(self, metrics: dict[str, list[float]]) -> list[bool]:
        """Return, for every run, whether each of its K units is drawn with probability 0.9."""
        return self._are_settled(metrics["selected_probability"])

    @torch.no_grad()
    def selections(self, params: Params, unique: bool) -> list[Selection]:
        """Return the units with the largest θ that the constraints allow."""
        given = self.constraints
        theta = torch.nan_to_num(self.theta(params))  # that of a diverged run is not used
        counts, n = params["buffer:counts"], len(given.candidates)
        coldest = theta / self.selector.temperature_at(1.0)
        probability = inclusion_probabilities(coldest, counts)[:, :n].cpu().numpy()
        masks = largest_subset(theta, counts)[:, :n].cpu().numpy() != 0
        scores, n_included = theta[:, :n].cpu().numpy(), len(given.included_units)
        selections = []
        for run, count in enumerate(counts.int().tolist()):
            chosen = given.candidates[masks[run]]
            if given.at_most or self.priced:
                chosen = given.completed(chosen, scores[run], n_included + count)
            units = np.concatenate([given.included_units, chosen])
            selections.append(Selection.of_units(given, units, self._strength(probability[run])))
        return selections

    def final_params(self, params: Params, selections: list[Selection]) -> Params:
        """Return the tensors of the final model on these selections."""
        device = params["buffer:counts"].device
        features, nodes = stacked_features(selections, self.final_model.n_selected)
        nodes = None if nodes is None else nodes.to(device)
        return self.restricted(params, features.to(device), nodes)

    def restricted(self, params: Params, features: Tensor, nodes: Tensor | None) -> Params:
        """Return the tensors of the final model, with the weights of the selected columns.

        Shape: features (R, inputs); nodes (R, inputs), 1 for the inputs that are used, or None.
        """
        assert isinstance(self.decoder, Mlp)
        decoder = self.decoder.restricted(part(params, "decoder"), features, nodes)
        return FixedSelection.start_from(join(decoder=decoder), features, nodes)
