import { ConfigError, readYamlFile } from '@lachesis/sdk/config';
import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { findNearest } from './find-nearest.ts';
import { placeInFile } from './place-in-file.ts';

/** Where the path of the file that is in force is told to `doctor` and `config`. */
const PROJECT_FILE_VARIABLE = 'LACHESIS_PROJECT_FILE';

/** Each setting becomes the variable that commands read anyway. A path is one from the folder of the file. */
const VARIABLES: Readonly<Record<string, { variable: string; isPath?: true }>> = {
  home: { variable: 'LACHESIS_HOME', isPath: true },
  upstream: { variable: 'LACHESIS_UPSTREAM_URL' },
  recipe: { variable: 'LACHESIS_RECIPE', isPath: true },
  tools: { variable: 'LACHESIS_TOOLS', isPath: true },
  'ports.gateway': { variable: 'LACHESIS_INFERENCE_PORT' },
  'ports.control': { variable: 'LACHESIS_CONTROL_PORT' },
  'ports.trajectory_api': { variable: 'LACHESIS_TRAJECTORY_API_PORT' },
  'ports.engine': { variable: 'LACHESIS_ENGINE_PORT' },
};

/** Fills variables up that are not set. Throws a sentence for a file that cannot be used. */
export async function loadProjectFile(file: string, env: Record<string, string | undefined>): Promise<void> {
  refuseStranger(file);
  const { tools, ...settings } = await read(file);
  // Tools that stand in the file itself are read out of it by who opens them.
  const about = tools === undefined ? settings : { ...settings, tools: typeof tools === 'object' ? file : tools };
  for (const [name, value] of Object.entries(flatten(about))) {
    const known = Object.hasOwn(VARIABLES, name) ? VARIABLES[name] : undefined;
    if (known === undefined) throw new Error(placeInFile(refuse(name), name, file));
    if (typeof value !== 'string' && typeof value !== 'number') {
      throw new Error(placeInFile(`${name} wants a text or a number.`, name, file));
    }
    const isSet = (env[known.variable] ?? '') !== '';
    if (!isSet) env[known.variable] = known.isPath === true ? toPath(String(value), file) : String(value);
  }
  env[PROJECT_FILE_VARIABLE] = file;
}

/** Whoever can write the file says where prompts go: it must be ours. */
function refuseStranger(file: string): void {
  const { uid, mode } = statSync(file);
  const own = process.getuid?.();
  if (own !== undefined && uid !== own && uid !== 0) {
    throw new Error(`${file} belongs to another user, and is not read. Copy it, or work in a folder of your own.`);
  }
  if (process.platform !== 'win32' && (mode & 0o002) !== 0) {
    throw new Error(`${file} can be written by everybody, and is not read. Close it: chmod o-w ${file}`);
  }
}

async function read(file: string): Promise<Record<string, unknown>> {
  const content = await readYamlFile(file).catch((error: unknown) => {
    throw ConfigError.isInstance(error) ? new Error(error.message) : error;
  });
  if (typeof content === 'object' && content !== null && !Array.isArray(content)) {
    return content as Record<string, unknown>;
  }
  throw new Error(`${file} is not a mapping of settings, such as upstream: http://localhost:11434/v1.`);
}

/** `ports: { gateway: 9001 }` is `ports.gateway`. */
const flatten = (content: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(content).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(value).map(([inner, of]) => [`${name}.${inner}`, of])
        : [[name, value]],
    ),
  );

function refuse(name: string): string {
  if (/key|token|secret|password/i.test(name)) {
    return `${name} is a secret, and a project file is for everybody to read. Keep it with \`lachesis config set\`.`;
  }
  const known = Object.keys(VARIABLES);
  const isSection = known.some((each) => each.startsWith(`${name}.`));
  if (isSection) return `${name} wants its settings by name, such as ${name}: { gateway: 9001 }.`;
  // A name without a dot is one of the first column, where a section stands as itself.
  const near = name.includes('.') ? known : known.map((each) => each.replace(/\..*/, ''));
  return `there is no setting ${name}. Did you mean ${findNearest(name, near)}? There are ${known.join(', ')}.`;
}

/** The name of a recipe that comes with the command is no path. */
function toPath(value: string, file: string): string {
  return /[/\\]|\.ya?ml$/.test(value) ? resolve(dirname(file), value) : value;
}
