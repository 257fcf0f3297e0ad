"""Which samples a training run reads at which step: admitted by limits that move, and fewer of those already learnt.

>>> from dataaudit.curriculum import Curriculum, CurriculumBatches
>>> curriculum = Curriculum(dataset["admit_from_step"], dataset["admit_until_step"])  # as Filter.annotate adds them
>>> batches = CurriculumBatches(curriculum, batch_size=8, seed=1)
>>> for samples in batches: ...  # int64[8], one step after the other, without end
"""

from dataaudit.curriculum.batches import CurriculumBatches
from dataaudit.curriculum.curriculum import Curriculum
from dataaudit.curriculum.learnt import learnt_weights
from dataaudit.curriculum.stream import CurriculumStream

__all__ = ["Curriculum", "CurriculumBatches", "CurriculumStream", "learnt_weights"]
