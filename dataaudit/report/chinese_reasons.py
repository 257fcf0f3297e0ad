"""Chinese for sentences that a result says in English about itself: why something was skipped, lost or not compared.

A result holds them as text with numbers and names in it, so each is known by its form. What is in no form, such as the
message of a library, stays as it is.
"""

import re

from dataaudit.report.chinese_reading import READING
from dataaudit.report.chinese_sources import SOURCES

_FORMS: tuple[tuple[str, str], ...] = (
    # --- Checks that were not judged -------------------------------------------------------------------------------
    (r"Switched off in the config\.", "配置中已关闭。"),
    (r"Not measured: (.+)\.", "未测量：{0}。"),
    (r"The check itself failed: (.+)", "检查本身出错：{0}"),
    (r"(.+) Not judged below ([\d,]+) tokens?\.", "{0} 少于 {1} 个词元时不判定。"),
    (r"One shard has no others to be compared with\.", "只有一个分片，没有其他分片可比较。"),
    (r"No shard has enough tokens and documents to be judged (\(.+\))\.", "没有分片有足够的词元和文档可供判定{0}。"),
    (r"([\d,]+) windows? with enough (\w+); (\d+) make a series\.", "有足够{1}的窗口：{0} 个；至少 {2} 个才构成序列。"),
    (r"There are no tokens to compare, here or in the reference\.", "此处或参考中没有可比较的词元。"),
    (r"The corpus has fewer than ([\d,]+) (\w+)\.", "语料少于 {0} {1}。"),
    (r"No source has ([\d,]+) documents\.", "没有来源达到 {0} 个文档。"),
    (r"No documents\.", "没有文档。"),
    (r"No tokens\.", "没有词元。"),
    (r"No records\.", "没有记录。"),
    (r"The config has no rule about repetition\.", "配置中没有关于重复的规则。"),
    (r"The config names neither (\S+) nor (\S+)\.", "配置中既没有 {0}，也没有 {1}。"),
    (r"The config has no (\S+)\.", "配置中没有 {0}。"),
    (r"Neither a tokenizer nor (\S+) was given\.", "既未给出分词器，也未给出 {0}。"),
    (r"A tokenizer was given: (\S+) judges its own ids\.", "已给出分词器：由 {0} 判定其编号。"),
    (
        r"The documents of every file were cut by length or by this very token\.",
        "所有文件的文档都是按长度或按该词元本身切分的。",
    ),
    (
        r"The corpus is text, tokenized here without special tokens; the trainer adds them\.",
        "语料是文本，在此分词时不加特殊词元；由训练器添加。",
    ),
    (
        r"([\d,]+) of ([\d,]+) documents? \((.+?)\) ha(?:ve|s) more than (.+?) rare tokens\.",
        "{1} 个文档中有 {0} 个（{2}）的罕见词元超过 {3}。",
    ),
    (
        r"([\d,]+) of ([\d,]+) ids \((.+?)\) never occur, ([\d,]+) fewer than (\d+) times\.",
        "{1} 个编号中有 {0} 个（{2}）从未出现，{3} 个出现不足 {4} 次。",
    ),
    (
        r"([\d,]+) ids? ha(?:ve|s) at least (\d+) occurrences, (.+?) or more of them in one document\.",
        "{0} 个编号出现至少 {1} 次，且其中 {2} 以上在同一文档中。",
    ),
    (
        r"Half of the documents have ([\d,]+) (\w+) or fewer, 99 % have ([\d,]+) or fewer, the longest has ([\d,]+)\.",
        "半数文档不超过 {0} {1}，99 % 不超过 {2}，最长的有 {3}。",
    ),
    (
        r"The tokenizer's file has no decoder, so ids cannot be taken back to text\.",
        "分词器文件没有解码器，无法由编号得到文本。",
    ),
    (r"The sampled documents have no ids besides special ones\.", "抽样文档除特殊编号外没有编号。"),
    (
        r"The config has no setting of the model that a tokenizer could contradict\.",
        "配置中没有可与分词器比较的模型设置。",
    ),
    (r"has no text beside its ids", "没有与编号对应的文本"),
    (r"differs first at position ([\d,]+)", "首个差异在位置 {0}"),
    # --- Signals that were not measured ----------------------------------------------------------------------------
    (r"shards were not compared", "未比较各分片"),
    (r"documents were not compared \((.+?)\)", "未比较文档（{0}）"),
    (r"only a sample was compared \((.+?)\)", "只比较了样本（{0}）"),
    (r"no text was given beside the ids (\(.+\))", "未给出与编号对应的文本{0}"),
    (r"no reference run was given (\(.+\))", "未给出参考运行{0}"),
    (r"no rule of the config could be judged", "配置中没有可判定的规则"),
    (r"no tokenizer was given", "未给出分词器"),
    (r"the text was tokenized here", "文本在此处分词"),
    (r"the corpus has no column (.+?) beside token ids", "语料在词元编号之外没有列 {0}"),
    (r"the corpus has no column (.+)", "语料没有列 {0}"),
    (r"the corpus came as token ids", "语料以词元编号给出"),
    (r"the corpus did not come as token ids", "语料不是以词元编号给出"),
    (r"no file is a raw array of token ids", "没有文件是词元编号的原始数组"),
    (r"labels and masks were read with other model ids; audit again", "标签和掩码是按模型的其他编号读取的；请重新审计"),
    (r"the config has no (.+)", "配置中没有 {0}"),
    (r"not measured", "未测量"),
    (
        r"duplicates\.enabled is false, or the corpus came as token ids",
        "duplicates.enabled 为 false，或语料以词元编号给出",
    ),
    (r"duplicates\.enabled is false", "duplicates.enabled 为 false"),
    # --- Notes -----------------------------------------------------------------------------------------------------
    (r"All documents were measured; nothing was sampled\.", "已测量全部文档，没有抽样。"),
    (
        r"No tokenizer: shares of tokens are shares of characters, and token checks were skipped\.",
        "没有分词器：词元比例即字符比例，并跳过词元检查。",
    ),
    (
        r"fastokens gives the ids of tokenizers on ([\d,]+) documents\.",
        "在 {0} 个文档上，fastokens 给出与 tokenizers 相同的编号。",
    ),
    # --- What was not compared -------------------------------------------------------------------------------------
    (r"(.+) was not audited; (dataaudit audit .+) judges it", "{0} 未经审计；可用 {1} 判定"),
    (r"it depends on the whole corpus", "它取决于整个语料"),
    (r"version (\S+) in the old run, (\S+) in the new one", "旧运行中的版本为 {0}，新运行中为 {1}"),
    (r"the histograms have different bins", "直方图的分箱不同"),
    (r"(.+) is a report alone; the digests of the texts are in the run folder", "{0} 只是报告；文本摘要在运行目录中"),
    (r"(.+) holds no plan\.json that can be read", "{0} 没有可读取的 plan.json"),
    (r"(.+) is of a corpus that came as token ids", "{0} 的语料以词元编号给出"),
    (r"one of the two corpora came as token ids and the other as texts", "两个语料一个以词元编号给出，另一个是文本"),
    (r"(.+) has no digests of its documents (\(.+\))", "{0} 没有文档摘要{1}"),
    (r"(.+) has no digests of its texts (\(.+\))", "{0} 没有文本摘要{1}"),
    (r"the digests of the two runs were made by different versions", "两次运行的文本摘要由不同版本生成"),
    # --- What the method says --------------------------------------------------------------------------------------
    (
        r"NFKC, case folding, control characters removed, white space folded; shingles leave out punctuation",
        "NFKC、大小写折叠、去除控制字符、折叠空白；片段不含标点",
    ),
    (r"(.+)\. token ids as they are", "{0}。词元编号保持原样"),
    (r"token ids as they are", "词元编号保持原样"),
    (r"([\d,]+) (words or tokens|words|tokens)", "{0} 个{1}"),
    (r"words or tokens", "词或词元"),
    (r"tokens", "词元"),
    (r"words", "词"),
    (r"characters", "字符"),
    # --- Change points ---------------------------------------------------------------------------------------------
    (r"share of (.+)", "{0} 的占比"),
    (r"kl_excess", "词元分布（kl_excess）"),
    (r"mean_log_length", "平均对数长度"),
    (r"entropy", "熵"),
    (r"control_char_ratio", "控制字符比例"),
    (r"replacement_char_ratio", "替换字符比例"),
    (r"special_char_ratio", "特殊字符比例"),
    (r"repeated_char_ratio", "重复字符比例"),
    (r"periodic_document_ratio", "周期性文档比例"),
)
_COMPILED = tuple((re.compile(form, re.DOTALL), chinese) for form, chinese in (*_FORMS, *READING, *SOURCES))
_LONGEST = 2000
"""Characters of a sentence that is looked at: those of this package are shorter."""


def in_chinese(english: str) -> str:
    """Returns the sentence in Chinese, or itself when it is none of this package's."""
    if len(english) > _LONGEST:
        return english
    for form, chinese in _COMPILED:
        found = form.fullmatch(english)
        if found is not None:
            parts = [in_chinese(part) if part else "" for part in found.groups()]
            return chinese.format(*parts)
    parts = english.split("; ")
    translated = [in_chinese(part) for part in parts] if len(parts) > 1 else parts
    return "；".join(translated) if translated != parts else english
