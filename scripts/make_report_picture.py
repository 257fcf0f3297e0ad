"""Makes docs/report.png, the picture of the report in the README: the sample run in headless Chromium.

python scripts/make_report_picture.py
"""

import os
import sys
import tempfile
from pathlib import Path

from PIL import Image

import dataaudit

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
PICTURE = ROOT / "docs" / "report.png"
WIDTH, HEIGHT, COLOURS = 1280, 1830, 160
LAYOUT = """
document.querySelectorAll('#findings .card, #findings .fold, #signals .fold').forEach((each) => {
  each.hidden = !['check-damaged-files', 'check-control-characters', 'check-mojibake'].includes(each.id);
});
document.querySelectorAll('main > section').forEach((each) => {
  each.hidden = !(each.classList.contains('verdict') || ['findings', 'signals'].includes(each.id));
});
document.querySelectorAll('#signals .signal').forEach((each) => {
  each.hidden = !['signal-special_char_ratio', 'signal-dup_10gram_char_ratio'].includes(each.id);
});
document.querySelector('#check-mojibake').open = true;
document.querySelectorAll('#check-mojibake .excerpt ~ .excerpt').forEach((each) => { each.hidden = true; });
document.querySelectorAll('#check-mojibake .body > :not(.facts, .excerpts)').forEach((each) => { each.hidden = true; });
"""


def main() -> None:
    from browser import Browser

    os.chdir(ROOT)  # paths in the picture are those of a reader
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        run = Path(folder) / "run"
        dataaudit.audit("sample_data/corpus", run, tokenizer="sample_data/tokenizer.json", max_length=1024)
        page = browser.open((run / "report.html").as_uri(), width=WIDTH, height=HEIGHT)
        page.evaluate(LAYOUT)
        taken = Path(folder) / "report.png"
        page.screenshot(taken)
        # A palette and no more colours than flat surfaces need: a third of the size.
        Image.open(taken).convert("RGB").quantize(COLOURS).save(PICTURE, optimize=True)
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
