"""Every word of the page of a trace, in English and in Chinese."""

TRACE: dict[str, tuple[str, str]] = {
    "trace.title": ("Trace of a training step", "训练步追溯"),
    "trace.skip": ("Skip to the first part", "跳到第一部分"),
    "trace.made": (
        "Made by dataaudit {0}; --format json has all of it.",
        "由 dataaudit {0} 生成；--format json 含全部内容。",
    ),
    "trace.risk": ("Risk, not a cause", "是风险，不是原因"),
    "trace.step": ("Step {0}, epoch {1}", "第 {0} 步，第 {1} 轮"),
    "trace.share": ("{0} of all batches are at least as unusual", "至少同样异常的批次占 {0}"),
    "trace.log": ("Spikes in the training log: {0}", "训练日志中的尖峰：{0}"),
    "trace.order": ("Order {0}, packing {1}", "顺序 {0}，打包方式 {1}"),
    "trace.trimmed": (
        "To stay under 1 MB this page shows {0} documents in full and {1} rows a table.",
        "为保持在 1 MB 以内，本页完整显示 {0} 个文档，每个表格最多 {1} 行。",
    ),
    "trace.more": ("{0} more; --format json has them all", "另有 {0} 条，见 --format json"),
    # --- Figures at the top ----------------------------------------------------------------------------------------
    "trace.samples": ("samples", "样本"),
    "trace.documents": ("documents", "文档"),
    "trace.place": ("place among {0} steps", "在 {0} 步中的名次"),
    "trace.steps": ("steps in the order", "顺序中的步数"),
    # --- Sections --------------------------------------------------------------------------------------------------
    "trace.section.batch": ("What is unusual about the batch", "该批次的异常之处"),
    "trace.section.before": ("The steps up to it", "此前各步"),
    "trace.section.texts": ("Documents of the batch", "批次中的文档"),
    "trace.section.samples": ("Samples, as they were read", "按读取顺序排列的样本"),
    "trace.section.spikes": ("Spikes of the log", "日志中的尖峰"),
    "trace.section.associations": ("What stands out before spikes", "尖峰之前的突出之处"),
    "trace.section.method": ("How it was traced", "追溯方法"),
    # --- The batch -------------------------------------------------------------------------------------------------
    "trace.batch.lead": (
        "Of each family of measures, the one that fewest batches of the whole run reach.",
        "每类度量中，全程达到该值的批次最少的一项。",
    ),
    "trace.family": ("Family", "类别"),
    "trace.measure": ("Measure", "度量"),
    "trace.value": ("Value", "数值"),
    "trace.batches": ("Batches that reach it", "达到该值的批次"),
    "trace.family.surprisal": ("surprisal", "意外度"),
    "trace.family.rare tokens": ("rare tokens", "罕见词元"),
    "trace.family.digits": ("digits", "数字"),
    "trace.family.repetition": ("repetition", "重复"),
    "trace.family.special characters": ("special characters", "特殊字符"),
    "trace.family.length": ("length", "长度"),
    "trace.family.duplicates": ("duplicates", "重复文档"),
    "trace.family.sources": ("sources", "来源"),
    # --- The steps before ------------------------------------------------------------------------------------------
    "trace.before.lead": (
        "Darker is rarer: the share of all batches that are as high. Updates from the steps before act on a step, too.",
        "颜色越深越罕见：表示达到同样高值的批次所占比例。之前各步的更新也会影响这一步。",
    ),
    "trace.before.map": ("families by step", "按步的各类度量"),
    "trace.before.last": (
        "The picture shows the last {0} of {1} steps.",
        "图中显示 {1} 步中的最后 {0} 步。",
    ),
    "trace.before.others": ("The other steps", "其他各步"),
    "trace.before.step": ("Step", "步"),
    "trace.before.unusual": ("Unusual", "异常度"),
    "trace.before.share": ("As unusual", "同样异常"),
    "trace.before.why": ("Why", "原因"),
    "trace.before.worst": ("Largest part", "占比最大"),
    # --- Documents -------------------------------------------------------------------------------------------------
    "trace.texts.lead": (
        "By their part in what is unusual about the batch. Parts sum to 100 %.",
        "按其在批次异常中所占的部分排列，合计为 100 %。",
    ),
    "trace.texts.size": ("{0} {1} in samples {2}", "{0} {1}，在样本 {2} 中"),
    "trace.texts.signal": ("Signal", "信号"),
    "trace.texts.reach": ("Documents that reach it", "达到该值的文档"),
    "trace.texts.fails": ("fails", "不符合"),
    "trace.texts.signals": ("All signals", "全部信号"),
    "trace.texts.part": ("Part", "占比"),
    "trace.texts.place": ("Place", "位置"),
    "trace.texts.rest": ("The other documents", "其余文档"),
    "trace.texts.none": ("The text was not read, or is gone.", "未读取文本，或文本已不存在。"),
    # --- Samples ---------------------------------------------------------------------------------------------------
    "trace.sample": ("Sample", "样本"),
    "trace.rank": ("Rank", "进程"),
    "trace.micro": ("Micro-batch", "微批次"),
    "trace.pieces": ("Pieces: doc_id, from, to", "片段：doc_id、起、止"),
    # --- Spikes ----------------------------------------------------------------------------------------------------
    "trace.spikes.lead": (
        "A value above mean + 6 σ of the 128 before it, or no number. {0}",
        "高于此前 128 个值的均值 + 6 σ，或不是数字。{0}",
    ),
    "trace.spikes.none": ("The log has no spike.", "日志中没有尖峰。"),
    "trace.spikes.series": ("Series", "序列"),
    "trace.spikes.usual": ("Before: mean ± σ", "此前：均值 ± σ"),
    "trace.spikes.recovery": ("Recovery", "恢复"),
    "trace.spikes.after": ("{0} after {1} values", "{0}，经过 {1} 个值"),
    "trace.spikes.batch": ("Most unusual step up to it", "此前最异常的步"),
    "trace.spikes.no_step": ("the order has no such step", "顺序中没有这一步"),
    "trace.recovery.fast": ("fast", "快"),
    "trace.recovery.slowly": ("slow", "慢"),
    "trace.recovery.not": ("none", "未恢复"),
    "trace.recovery.unknown": ("the log ends too soon to say", "日志过早结束，无法判断"),
    "trace.associations.lead": (
        "The largest percentile of each measure in the {0} steps up to a spike, against {1} draws of random steps; "
        "p is corrected for the number of measures (Holm). Below 0.05 a measure stands out. It is no proof of a cause.",
        "各度量在尖峰前 {0} 步内的最高百分位，与 {1} 次随机抽取的步比较；p 已按度量个数校正（Holm）。"
        "低于 0.05 表示突出，但不能证明因果。",
    ),
    "trace.associations.few": (
        "Too few spikes or steps to say what stands out before them.",
        "尖峰或步数太少，无法判断其之前有何突出之处。",
    ),
    "trace.associations.before": ("Before spikes", "尖峰之前"),
    "trace.associations.elsewhere": ("Elsewhere", "其他位置"),
    "trace.associations.p": ("p", "p"),
    # --- Method ----------------------------------------------------------------------------------------------------
    "trace.method.order": ("Order", "顺序"),
    "trace.method.packing": ("Packing", "打包方式"),
    "trace.method.batch": ("Samples a step", "每步样本数"),
    "trace.method.batch_text": ("{0} × {1} micro-batches × {2} ranks", "{0} × {1} 个微批次 × {2} 个进程"),
    "trace.method.set": ("Training set", "训练集"),
    "trace.method.set_text": ("{0} documents ({1}), {2} samples", "{0} 个文档（{1}），{2} 个样本"),
    "trace.method.missing": ("Not measured", "未测量"),
    "trace.method.limits": (
        "The trace says which documents a step read, if the order above is the one that was used, and how unusual they "
        "are. It does not say that they caused a spike: the same batch can pass without one at other weights.",
        "在上述顺序确为实际所用的前提下，本追溯说明某一步读取了哪些文档以及它们有多异常。"
        "它并不说明这些文档引起了尖峰：同一批次在其他权重下可能毫无影响。",
    ),
}
