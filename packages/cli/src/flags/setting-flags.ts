import type { ArgsDef } from 'citty';
import { failUsage } from '../terminal/fail.ts';
import { findNearest } from './find-nearest.ts';

interface FlagSource {
  describe: string;
  environmentVariable?: string;
  fallback: () => unknown;
}

/** Names that an option had before it was called the same everywhere. */
const RENAMED: Readonly<Record<string, { name: string; value?: string }>> = {
  out: { name: 'output' },
  url: { name: 'server' },
  'with-tokens': { name: 'has-tokens', value: ' true' },
};

/** One flag per setting: `maxQueuedGroups` becomes `--max-queued-groups`. */
export function toFlags(settings: Record<string, FlagSource>): ArgsDef {
  return Object.fromEntries(
    Object.entries(settings).map(([name, setting]) => {
      const variable = setting.environmentVariable === undefined ? '' : ` [${setting.environmentVariable}]`;
      const fallback = setting.fallback();
      const type = typeof fallback === 'boolean' ? ('boolean' as const) : ('string' as const);
      return [
        toKebab(name),
        { type, description: `${setting.describe}${describeFallback(setting.describe, fallback)}${variable}` },
      ];
    }),
  );
}

/** What it is when left out. A path of this machine is in no help: it is another on the next. */
function describeFallback(description: string, fallback: unknown): string {
  if (/default|when left out/.test(description)) return '';
  if (typeof fallback === 'boolean') return fallback ? ' (default: on)' : '';
  const isPlain = typeof fallback === 'number' || (typeof fallback === 'string' && fallback !== '');
  return isPlain && !String(fallback).startsWith('/') ? ` (default: ${fallback})` : '';
}

/** What was given on the command line, by setting name. An unknown flag ends the command with the nearest known one. */
export function readSettingFlags(
  settings: Record<string, FlagSource>,
  args: Record<string, unknown>,
  rawArgs: readonly string[],
  others: readonly string[],
): Record<string, unknown> {
  const known = [...Object.keys(settings).map(toKebab), ...others];
  for (const raw of rawArgs) {
    if (!raw.startsWith('--')) continue;
    const name = raw.slice(2).split('=', 1)[0] ?? '';
    const asKnown = name.startsWith('no-') && known.includes(name.slice(3)) ? name.slice(3) : name;
    const renamed = RENAMED[name];
    if (renamed !== undefined && !known.includes(name) && known.includes(renamed.name))
      failUsage(`--${name} is --${renamed.name}${renamed.value ?? ''} now.`);
    if (!known.includes(asKnown))
      failUsage(`there is no option --${name}. Did you mean --${findNearest(name, known) ?? 'help'}?`);
  }
  refuseValueOfSwitch(settings, rawArgs);
  const given: Record<string, unknown> = {};
  for (const name of Object.keys(settings)) {
    const value = args[toKebab(name)];
    if (value !== undefined) given[name] = value;
  }
  return given;
}

/** Ends the command at an option that does not exist, instead of passing over it. */
export function refuseUnknownFlags(flags: object, rawArgs: readonly string[]): void {
  readSettingFlags({}, {}, rawArgs, Object.keys(flags));
}

/** `--capture false` would be taken for `--capture`, and nobody would hear of it. */
function refuseValueOfSwitch(settings: Record<string, FlagSource>, rawArgs: readonly string[]): void {
  const switches = Object.keys(settings).filter((name) => typeof settings[name]?.fallback() === 'boolean');
  for (const name of switches.map(toKebab)) {
    const value = rawArgs[rawArgs.indexOf(`--${name}`) + 1];
    if (!rawArgs.includes(`--${name}`) || value === undefined || value.startsWith('-')) continue;
    failUsage(`--${name} is a switch and takes no value. Leave "${value}" out, or turn it off with --no-${name}.`);
  }
}

/** Servers name a setting as their code does; who typed it knows it as an option. */
export function nameAsTyped(message: string, otherNames: Readonly<Record<string, string>> = {}): string {
  return message.replace(/^setting (\w+)/, (_whole, name: string) => `--${otherNames[name] ?? toKebab(name)}`);
}

function toKebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
