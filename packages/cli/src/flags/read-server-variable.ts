/** The address in the environment; the second name is from before there was one for every command. */
export const readServerVariable = (
  env: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined =>
  [env['LACHESIS_URL'], env['LACHESIS_CONTROL_URL']].find((address) => address !== undefined && address !== '');
