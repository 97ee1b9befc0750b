import { INFERENCE_SETTINGS } from './inference-settings.ts';
import { resolveSettings, type ResolvedSettings, type SettingValues } from './resolve-settings.ts';
import { list, number, text, wholeNumber, type SettingKind } from './setting-kinds.ts';
import { bodySettings, homeSetting, portSetting, SERVER_SETTINGS } from './server-settings.ts';
import { setting } from './setting-spec.ts';

/** Records are kept by one rule, whoever brings them in. */
const { captureRetentionDays, redactNames, redactVariables, redactPattern } = INFERENCE_SETTINGS;
const recordSettings = { captureRetentionDays, redactNames, redactVariables, redactPattern };

/** Agents start runs too; what a run may use at most is said by who starts the server. */
const limitSetting = ({
  kind,
  environmentVariable,
  what,
}: {
  kind: SettingKind<number>;
  environmentVariable: string;
  what: string;
}) =>
  setting<number | undefined>({
    ...{ kind, environmentVariable, fallback: () => undefined },
    describe: `every run started here is stopped when it ${what} (default: no limit)`,
  });

/** The settings of the control process, each with its default, its bounds and the reason for both. */
export const CONTROL_SETTINGS = {
  ...SERVER_SETTINGS,
  port: portSetting({ port: 8080, environmentVariable: 'LACHESIS_CONTROL_PORT' }),
  home: homeSetting('folder for the SQLite database, the payload files and the outboxes of recorders'),
  // A long conversation with images is some megabytes; a batch of records holds several.
  ...bodySettings({ largest: 64, together: 256 }),
  ...recordSettings,
  recipe: setting<string | undefined>({
    kind: text(),
    fallback: () => undefined,
    environmentVariable: 'LACHESIS_RECIPE',
    describe:
      'recipe of the runs started here, a name or a YAML file; tools read its locked values and cannot change them',
  }),
  passEnv: setting<string[]>({
    kind: list(),
    fallback: () => [],
    environmentVariable: 'LACHESIS_PASS_ENV',
    describe:
      'names of further variables of this server for the trainers and environments it starts, separated by commas; they get what they need of the others and no more',
  }),
  gatewayUrl: setting<string | undefined>({
    kind: text(),
    fallback: () => undefined,
    environmentVariable: 'LACHESIS_GATEWAY_URL',
    describe: 'gateway whose model inference tests ask when no other is configured; `lachesis up` names its own',
  }),
  maxCost: limitSetting({
    kind: number({ min: 0.01, max: 1e9 }),
    environmentVariable: 'LACHESIS_MAX_COST',
    what: 'has cost this many US dollars by prices.yaml',
  }),
  maxTokens: limitSetting({
    kind: wholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    environmentVariable: 'LACHESIS_MAX_TOKENS',
    what: 'has used this many tokens',
  }),
  maxSteps: limitSetting({
    kind: wholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    environmentVariable: 'LACHESIS_MAX_STEPS',
    what: 'has made this many steps',
  }),
  openRuns: setting({
    // Each has three processes and an engine's memory; a machine is full long before.
    kind: wholeNumber({ min: 1, max: 100_000 }),
    fallback: () => 64,
    environmentVariable: 'LACHESIS_OPEN_RUNS',
    describe: 'runs of one tenant that have not ended; more are answered with 429',
  }),
  auditRetentionDays: setting<number | undefined>({
    kind: number({ min: 1, max: 36_500 }),
    fallback: () => undefined,
    environmentVariable: 'LACHESIS_AUDIT_RETENTION_DAYS',
    describe: 'lines of the audit log older than this are let go of (default: all are kept)',
  }),
  auditArchive: setting<string | undefined>({
    kind: text(),
    fallback: () => undefined,
    environmentVariable: 'LACHESIS_AUDIT_ARCHIVE',
    describe: 'folder for lines of the audit log that are let go of, as files that verify (default: gone for good)',
  }),
  drainSeconds: setting({
    // Somebody who looks right after a call wants to see it; reading an empty folder costs nothing.
    kind: number({ min: 0.05, max: 3_600 }),
    fallback: () => 1,
    environmentVariable: 'LACHESIS_DRAIN_SECONDS',
    describe: 'how often the outboxes of recorders are read',
  }),
};

/** The settings of the control server with their types, as `readControlSettings` gives them. */
export type ControlSettings = SettingValues<typeof CONTROL_SETTINGS>;

/** Options before variables before defaults; throws a `SettingError` that names what is wrong. */
export function readControlSettings(
  options: Record<string, unknown>,
  env: Record<string, string | undefined>,
): ResolvedSettings<ControlSettings> {
  return resolveSettings(CONTROL_SETTINGS, options, env);
}
