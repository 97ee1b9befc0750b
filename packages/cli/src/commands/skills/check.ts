import { defineCommand } from 'citty';
import { askRegistry, findInstalledVersions } from '../../agent/skills/find-versions.ts';
import { readSkillState } from '../../agent/skills/installed-skill.ts';
import { listSkills, type CheckedVersion, type Skill } from '../../agent/skills/skill.ts';
import { readSettingFlags } from '../../flags/setting-flags.ts';
import { readScreen, writeJson } from '../../terminal/screen.ts';
import { renderColumns } from '../../terminal/render-columns.ts';
import { findSkillPlaces, skillPlaceFlags } from './places.ts';
import { requireSkill } from './require-skill.ts';

const flags = {
  newest: {
    type: 'boolean',
    description: 'ask the registries (pip, npm) whether the versions exist, and for the newest',
  },
  ...skillPlaceFlags,
  json: { type: 'boolean', description: 'print JSON' },
} as const;

interface CheckedSkill {
  name: string;
  version: string;
  /** The places in which it is, and how it is there. */
  installed: { folder: string; state: string }[];
  checked: (CheckedVersion & { here: string | null; newest?: string | null; exists?: boolean | null })[];
}

export const skillsCheckCommand = defineCommand({
  meta: {
    name: 'check',
    description: 'Say which versions a guide was held against, which are here, and how installed copies are.',
  },
  args: { name: { type: 'positional', required: false, description: 'only this one' }, ...flags },
  async run({ args, rawArgs }) {
    readSettingFlags({}, {}, rawArgs, Object.keys(flags));
    const skills = args.name === undefined ? await listSkills() : [await requireSkill(args.name)];
    const here = await findInstalledVersions([
      ...new Set(skills.flatMap(({ checked }) => checked.map(({ name }) => name))),
    ]);
    const found: CheckedSkill[] = [];
    for (const skill of skills) found.push(await check(skill, findSkillPlaces(args), here, args.newest === true));
    if (args.json === true) return writeJson(found);
    const columns = Math.min(80, readScreen().columns);
    const rows = found.map((each) => [each.name, describe(each)] as const);
    process.stdout.write(`${renderColumns({ rows, columns }).join('\n')}\n`);
    const gone = found.flatMap(({ checked }) => checked.filter(({ exists }) => exists === false));
    if (gone.length > 0) process.exitCode = 1;
  },
});

async function check(
  skill: Skill,
  places: readonly string[],
  here: ReadonlyMap<string, string>,
  asks: boolean,
): Promise<CheckedSkill> {
  const states = await Promise.all(
    places.map(async (folder) => ({ folder, state: (await readSkillState(skill, folder)) as string })),
  );
  const checked = await Promise.all(
    skill.checked.map(async (each) => {
      const base = { ...each, here: here.get(each.name) ?? null };
      if (!asks) return base;
      const answer = await askRegistry(each);
      if ('silent' in answer) return { ...base, newest: null, exists: null };
      return { ...base, newest: answer.versions[0] ?? null, exists: answer.versions.includes(each.version) };
    }),
  );
  const installed = states.filter(({ state }) => state !== 'absent');
  return { name: skill.name, version: skill.version, installed, checked };
}

function describe({ installed, checked }: CheckedSkill): string {
  const copies = installed.map(({ folder, state }) => `${state} in ${folder}`);
  const versions = checked.map(({ name, version, on, here, newest, exists }) => {
    const facts = [
      `held against ${on}`,
      here === null ? 'not here' : here === version ? 'the same here' : `${here} here`,
      ...(exists === undefined ? [] : [describeNewest(version, newest ?? null, exists)]),
    ];
    return `${name} ${version} (${facts.join(', ')})`;
  });
  return [...(copies.length === 0 ? ['not installed'] : copies), ...versions].join('; ');
}

function describeNewest(version: string, newest: string | null, exists: boolean | null): string {
  if (exists === null) return 'the registry did not answer';
  if (!exists) return 'NOT in the registry';
  return newest === version ? 'the newest' : `newest ${newest}`;
}
