/** Where a person says what is taken out of records; a server takes the same as options. */
export const REDACTION_VARIABLES = {
  redactNames: 'LACHESIS_REDACT_NAMES',
  redactVariables: 'LACHESIS_REDACT_VARIABLES',
  redactPattern: 'LACHESIS_REDACT_PATTERN',
} as const;
