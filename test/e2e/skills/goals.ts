/** Our own guides, and what is there when one was followed: a command that ends with 0. */
export const GOALS = {
  'capture-an-agent': `test "$(grep -c 'And 30 and 12' liked.jsonl)" = 1`,
  'secure-a-server':
    'lachesis audit verify --file audit.jsonl --key audit-key.pem && ' +
    "grep -q 'token create' audit.jsonl && grep -q 'token revoke' audit.jsonl && " +
    'grep -q 401 audit.jsonl && grep -q 403 audit.jsonl',
  'debug-a-flat-reward':
    `node -e 'const read = (name) => fs.readFileSync(name, "utf8").trim().split("\\n").map((line) => JSON.parse(line).scores);` +
    ` const flat = (scores) => scores.every((score) => score === scores[0]);` +
    ` process.exit(read("before.jsonl").every(flat) && !read("after.jsonl").every(flat) ? 0 : 1)'`,
  'author-an-environment':
    'grep -q "alphabetical order" data/word-order.jsonl && ' +
    'lachesis trajectories list --json --limit 100 | grep -q evaluation:word-order',
  'read-a-run':
    'test -s run.json && test -s rollouts.html && test -s why.json && ! lachesis engine status --json | grep -q \'"up":true\'',
  'learn-from-feedback':
    `test -s lineage.json && lachesis improve status --model talker --json | grep -q promoted && ` +
    `lachesis models list --name talker --json | grep -q 2`,
} as const satisfies Record<string, string>;

export type OwnSkill = keyof typeof GOALS;

/** They train, and take minutes: `--full` alone. */
export const WITH_ENGINE: readonly OwnSkill[] = ['read-a-run', 'learn-from-feedback'];
