"""Source files put together from short functions; $noun, $other, $field, $key and $n are filled in."""

import random
import re

NOUNS = (
    "contract parcel sensor ticket receipt booking vehicle message student recipe reading shipment player meeting"
).split()
FIELDS = "price weight score height duration amount distance pressure volume rating".split()
KEYS = "code label region owner status category station month author unit".split()

PYTHON = [
    '''def total_$field(${noun}s: list[dict]) -> float:
    """Returns the sum of $field over every $noun that is not cancelled."""
    return sum(each["$field"] for each in ${noun}s if each.get("$key") != "cancelled")
''',
    """def group_by_$key(${noun}s):
    groups = {}
    for item in ${noun}s:
        groups.setdefault(item.$key, []).append(item)
    return {name: sorted(found, key=lambda x: x.$field) for name, found in groups.items()}
""",
    """class ${Noun}Store:
    def __init__(self, path):
        self.path = path
        self._rows = []

    def add(self, $key, $field=$n):
        if $field < 0:
            raise ValueError(f"$field must not be negative, got {$field}")
        self._rows.append(($key, $field))

    def __len__(self):
        return len(self._rows)
""",
    """with open("${noun}s.csv", newline="") as handle:
    reader = csv.DictReader(handle)
    wanted = [row for row in reader if int(row["$field"]) > $n]
print(f"{len(wanted)} ${noun}s above the limit")
""",
    """def test_$noun_without_$key_is_refused():
    store = make_store()
    with pytest.raises(KeyError):
        store.insert({"$field": $n})
    assert store.count() == 0
""",
    """async def fetch_$noun(session, $key):
    for attempt in range(3):
        reply = await session.get(f"/api/${noun}s/{$key}")
        if reply.status == 200:
            return await reply.json()
        await asyncio.sleep(2 ** attempt)
    return None
""",
    """def moving_average(values, width=$n):
    window = deque(maxlen=width)
    for value in values:
        window.append(value)
        yield sum(window) / len(window)
""",
    """parser = argparse.ArgumentParser(description="Lists every $noun by $key.")
parser.add_argument("--min-$field", type=int, default=$n)
parser.add_argument("files", nargs="+", metavar="FILE")
args = parser.parse_args()
""",
    """@dataclass(frozen=True)
class $Noun:
    $key: str
    $field: float = 0.0
    parts: tuple[str, ...] = ()

    @property
    def is_large(self) -> bool:
        return self.$field > $n and len(self.parts) >= 2
""",
    """def merge_intervals(spans):
    merged = []
    for start, stop in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(stop, merged[-1][1]))
        else:
            merged.append((start, stop))
    return merged
""",
]

SQL = [
    """SELECT $key, COUNT(*) AS ${noun}_count, AVG($field) AS mean_$field
FROM ${noun}s
WHERE created_at >= DATE '2023-0$digit-01' AND $field IS NOT NULL
GROUP BY $key
HAVING COUNT(*) > $n
ORDER BY mean_$field DESC;
""",
    """CREATE TABLE ${noun}_$key (
    id BIGINT PRIMARY KEY,
    $key VARCHAR($n) NOT NULL,
    $field NUMERIC(10, 2) DEFAULT 0,
    updated_at TIMESTAMP NOT NULL
);
""",
    """WITH latest AS (
    SELECT id, $field, ROW_NUMBER() OVER (PARTITION BY $key ORDER BY updated_at DESC) AS position
    FROM $noun
)
SELECT id, $field FROM latest WHERE position = 1;
""",
    """UPDATE ${noun}s SET $field = $field * 1.$digit
WHERE $key IN (SELECT $key FROM ${other}s WHERE closed = FALSE);
""",
    """CREATE INDEX idx_${noun}_$field ON ${noun}s ($key, $field) WHERE deleted_at IS NULL;
""",
    """DELETE FROM ${other}_log
USING ${noun}s
WHERE ${other}_log.${noun}_id = ${noun}s.id
  AND ${noun}s.$field < $n;
""",
    """SELECT a.$key, b.$field - a.$field AS change
FROM $noun AS a
LEFT JOIN $other AS b ON b.${noun}_id = a.id
WHERE ABS(COALESCE(b.$field, 0) - a.$field) > $n
LIMIT 100;
""",
]

JAVASCRIPT = [
    """export async function load${Noun}s(url) {
  const reply = await fetch(url, { headers: { accept: "application/json" } });
  if (!reply.ok) throw new Error(`cannot load ${noun}s: ${reply.status}`);
  return (await reply.json()).filter((item) => item.$field > $n);
}
""",
    """const ${noun}List = document.querySelector("#${noun}-list");
${noun}List.addEventListener("click", (event) => {
  const row = event.target.closest("li[data-$key]");
  if (row) row.classList.toggle("selected");
});
""",
    """function debounce(action, delay = ${n}0) {
  let timer;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...args), delay);
  };
}
""",
    """const by${Key} = new Map();
for (const $noun of ${noun}s) {
  const bucket = by${Key}.get($noun.$key) ?? [];
  bucket.push($noun);
  by${Key}.set($noun.$key, bucket);
}
""",
    """class ${Noun}View extends HTMLElement {
  static observedAttributes = ["$key", "$field"];

  attributeChangedCallback(name, before, after) {
    if (before !== after) this.render();
  }
}
customElements.define("${noun}-view", ${Noun}View);
""",
    """test("a $noun keeps its $field", () => {
  const item = create${Noun}({ $key: "north", $field: $n });
  expect(item.$field).toBe($n);
  expect(() => create${Noun}({})).toThrow(/$key/);
});
""",
    """router.post("/${noun}s/:id/$field", async (request, response) => {
  const { $field } = request.body;
  if (!Number.isFinite($field)) return response.status(400).send("$field must be a number");
  await db.${noun}s.update(request.params.id, { $field });
  response.sendStatus(204);
});
""",
]

C = [
    """struct $noun {
    char $key[$n];
    double $field;
    struct $noun *next;
};
""",
    """static double mean_$field(const struct $noun *head)
{
    double sum = 0.0;
    size_t count = 0;
    for (const struct $noun *p = head; p != NULL; p = p->next) {
        sum += p->$field;
        count++;
    }
    return count ? sum / count : 0.0;
}
""",
    """int read_$noun(FILE *in, struct $noun *out)
{
    char line[256];
    if (!fgets(line, sizeof line, in))
        return -1;
    return sscanf(line, "%${digit}1s %lf", out->$key, &out->$field) == 2 ? 0 : 1;
}
""",
    """#define MAX_${NOUN}S $n
#ifndef ${NOUN}_DEBUG
#define ${NOUN}_DEBUG 0
#endif
""",
    """void free_${noun}s(struct $noun *head)
{
    while (head) {
        struct $noun *next = head->next;
        free(head);
        head = next;
    }
}
""",
    """static int compare_$field(const void *a, const void *b)
{
    const struct $noun *left = a, *right = b;
    if (left->$field < right->$field) return -1;
    return left->$field > right->$field;
}
""",
    """uint32_t checksum(const uint8_t *bytes, size_t length)
{
    uint32_t state = 0x811c9dc5u ^ $n;
    for (size_t i = 0; i < length; i++)
        state = (state ^ bytes[i]) * 16777619u;
    return state;
}
""",
]

LANGUAGES = {"py": (PYTHON, "# "), "sql": (SQL, "-- "), "js": (JAVASCRIPT, "// "), "c": (C, "// ")}
PURPOSES = [
    "Imports every $noun from the nightly dump and checks its $field.",
    "Helpers around $noun and $other; the $key is unique per site.",
    "Moves each $noun to the new schema. Run once, then delete.",
    "Quick look at the $field of a $noun, grouped by $key.",
    "Rules for a $noun whose $field exceeds $n units.",
]


_SLOT = re.compile(r"\$\{(\w+)\}|\$(noun|Noun|other|field|key|digit|n)(?=\b|_)")


def document(rng: random.Random) -> tuple[str, str]:
    """Returns the language and a source file of three or four functions."""
    language = rng.choice(sorted(LANGUAGES))
    snippets, comment = LANGUAGES[language]
    noun, other = rng.sample(NOUNS, 2)
    parts = [comment + _fill(rng, rng.choice(PURPOSES), noun, other) + "\n"]
    parts += [_fill(rng, snippet, noun, other) for snippet in rng.sample(snippets, rng.randint(3, 4))]
    return language, "\n".join(parts)


def _fill(rng: random.Random, snippet: str, noun: str, other: str) -> str:
    key = rng.choice(KEYS)
    values = {
        "noun": noun,
        "Noun": noun.capitalize(),
        "NOUN": noun.upper(),
        "other": other,
        "field": rng.choice(FIELDS),
        "key": key,
        "Key": key.capitalize(),
        "n": str(rng.randint(4, 96)),
        "digit": str(rng.randint(1, 9)),
    }
    return _SLOT.sub(lambda slot: values[slot[1] or slot[2]], snippet)
