import { askRegistry, type RegistryAnswer } from '../../../packages/cli/src/agent/skills/find-versions.ts';
import type { CheckedVersion, Skill } from '../../../packages/cli/src/agent/skills/skill.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';

/** Each client is a process of its own, which on two cores is enough at once. */
const AT_ONCE = 4;

interface Asked {
  readonly what: string;
  readonly version: string;
  readonly answer: RegistryAnswer;
}

/** The versions that guides name are in the registries. What a registry does not say is not run, and not right. */
export async function checkVersions(context: ScenarioContext, skills: readonly Skill[]): Promise<void> {
  const [name, bar] = ['versions in the registries', 'all exist'];
  const asked = await askAll(skills.flatMap(({ checked }) => checked));
  const silent = asked.flatMap(({ what, answer }) => ('silent' in answer ? [`${what}: ${answer.silent}`] : []));
  const answered = asked.filter(({ answer }) => 'versions' in answer);
  if (answered.length > 0) {
    const gone = findGone(answered);
    context.report({
      name,
      figure: `${answered.length - gone.length} of ${answered.length} exist${gone.map((what) => `; no ${what}`).join('')}`,
      bar,
      ok: gone.length === 0,
    });
    showFault(context, answered);
  }
  if (silent.length > 0) {
    const why = `${silent.length} of ${asked.length} without an answer: ${silent.join('; ')}`;
    context.reportNotRun({ name: answered.length === 0 ? name : `${name}, the others`, why, bar });
  }
}

/** Each of them with a number that nobody published, through the same eyes; and a name that is not there. */
function showFault(context: ScenarioContext, answered: readonly Asked[]): void {
  const wrong = answered.flatMap((each) => [
    { ...each, version: `${each.version}.999` },
    // The beginning of one that exists is none.
    { ...each, version: each.version.slice(0, -1) },
    { ...each, answer: { versions: [] } },
  ]);
  const real = answered.filter(({ version, answer }) => has(answer, version.slice(0, -1))).length;
  const caught = findGone(wrong).length;
  context.report({
    name: 'seeded fault: versions that do not exist',
    figure: `${caught} of ${wrong.length - real} caught`,
    bar: 'all caught',
    ok: caught === wrong.length - real,
  });
}

const has = (answer: RegistryAnswer, version: string): boolean =>
  'versions' in answer && answer.versions.includes(version);

const findGone = (asked: readonly Asked[]): string[] =>
  asked.filter(({ answer, version }) => !has(answer, version)).map(({ what }) => what);

async function askAll(checked: readonly CheckedVersion[]): Promise<Asked[]> {
  const waiting = [...new Map(checked.map((each) => [`${each.registry} ${each.name} ${each.version}`, each]))];
  const asked: Asked[] = [];
  const ask = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [what, each] = next;
      asked.push({ what, version: each.version, answer: await askRegistry(each) });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  return asked;
}
