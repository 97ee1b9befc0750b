import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { formatLine } from '../scenarios/run-scenario.ts';
import { appendEvidence, readEvidence, toEvidence } from './evidence-line.ts';
import { idOf, listShows, planShows } from './plan-shows.ts';
import { runShow } from './run-show.ts';
import { fillQuotes, QUOTE, writeEvidencePage } from './write-pages.ts';

const EXIT_USAGE = 2;
const root = fileURLToPath(new URL('../..', import.meta.url));
const file = join(root, 'docs/evidence.jsonl');
/** What a run writes itself; a change of these is no change of what was run. */
const OWN = [':!docs/evidence.jsonl', ':!docs/evidence.md', ':!docs/evidence-seeds.jsonl'];

const git = (...words: string[]): string => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { list: { type: 'boolean' }, missing: { type: 'boolean' }, table: { type: 'boolean' } },
  });
  if (values.table === true) {
    writePages();
    return 0;
  }
  const planned = planShows({
    shows: await listShows(join(root, 'test')),
    wanted: positionals,
    lines: readEvidence(file),
    isSameTree,
    onlyMissing: values.missing === true,
  });
  if (planned === undefined) {
    process.stderr.write(`no show is named ${positionals.join(' or ')}; \`pnpm evidence --list\` lists them\n`);
    return EXIT_USAGE;
  }
  if (values.list === true) {
    for (const show of planned) process.stdout.write(`${idOf(show)}: ${show.title}\n`);
    return 0;
  }
  const changed = git('status', '--porcelain', '--untracked-files=no', '--', '.', ...OWN);
  if (changed !== '') {
    process.stderr.write(`commit these first, a line names the commit it was run on:\n${changed}\n`);
    return EXIT_USAGE;
  }
  const interruption = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interruption.abort());
  let short = 0;
  for (const [index, show] of planned.entries()) {
    process.stderr.write(`${index + 1} of ${planned.length}: ${idOf(show)}\n`);
    const { lines, seconds } = await runShow(show, interruption.signal);
    if (interruption.signal.aborted) break;
    const run = { show: idOf(show), commit: git('rev-parse', 'HEAD'), date: new Date().toISOString(), seconds };
    appendEvidence(
      file,
      lines.map((line) => toEvidence(line, { ...run, machine: describeMachine() }, root)),
    );
    for (const line of lines) process.stdout.write(`${formatLine(line)}\n`);
    short += lines.filter(({ ok, notRun }) => !ok && notRun !== true).length;
    writePages();
  }
  process.stdout.write(`${planned.length} shows planned, ${short} lines short\n`);
  return interruption.signal.aborted || short > 0 ? 1 : 0;
}

function isSameTree(commit: string): boolean {
  try {
    return git('diff', '--name-only', commit, 'HEAD', '--', '.', ...OWN) === '';
  } catch {
    // A commit that is not in this clone.
    return false;
  }
}

function describeMachine(): string {
  const all = cpus();
  return `${all.length} × ${all[0]?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`;
}

function writePages(): void {
  const lines = readEvidence(file);
  writeFileSync(join(root, 'docs/evidence.md'), writeEvidencePage(lines));
  for (const path of git('ls-files', '*.md').split('\n')) {
    const page = readFileSync(join(root, path), 'utf8');
    const filled = page.search(QUOTE) < 0 ? page : fillQuotes(page, lines);
    if (filled !== page) writeFileSync(join(root, path), filled);
  }
}

process.exit(await main());
