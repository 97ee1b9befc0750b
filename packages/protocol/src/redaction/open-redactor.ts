import { REDACTION_VARIABLES } from './redaction-variables.ts';
import { collectSecretValues } from './collect-secret-values.ts';
import { createRedactor, type Redactor } from './create-redactor.ts';

/** What a person says is taken out of records, besides what is known everywhere. */
export interface RedactionSettings {
  /** Names of fields whose values are taken out. */
  readonly redactNames: readonly string[];
  /** Variables of the environment whose values are taken out. */
  readonly redactVariables: readonly string[];
  /** A regular expression; its first group where it has one, else the whole match. */
  readonly redactPattern: string | undefined;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The rules by which records are redacted, whoever writes them down and whoever brings them in. */
export function openRedactor(settings: RedactionSettings, variables: Variables): Redactor {
  const { redactNames, redactVariables, redactPattern } = settings;
  const named = redactVariables.flatMap((name) => variables[name] ?? []).filter((value) => value !== '');
  return createRedactor({
    secrets: [...new Set([...collectSecretValues(variables), ...named])],
    names: [...redactNames],
    ...(redactPattern === undefined
      ? {}
      : { patterns: [{ name: 'pattern', pattern: new RegExp(redactPattern, 'u') }] }),
  });
}

/**
 * What the environment says, for those who have no other settings: recorders in an application, and commands without a
 * server. Throws a SyntaxError when the pattern is none: ignoring it would keep what it was to take out.
 */
export function readRedactionSettings(variables: Variables): RedactionSettings {
  const list = (name: string): string[] =>
    (variables[name] ?? '')
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '');
  const pattern = variables[REDACTION_VARIABLES.redactPattern];
  if (pattern !== undefined && pattern !== '') {
    try {
      RegExp(pattern, 'u');
    } catch (cause) {
      throw new SyntaxError(`${REDACTION_VARIABLES.redactPattern} is not a regular expression: mend it, or unset it`, {
        cause,
      });
    }
  }
  return {
    redactNames: list(REDACTION_VARIABLES.redactNames),
    redactVariables: list(REDACTION_VARIABLES.redactVariables),
    redactPattern: pattern === '' ? undefined : pattern,
  };
}
