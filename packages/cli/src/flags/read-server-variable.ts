/** The address in the environment; the second name is from before there was one for every command. */
export const readServerVariable = (
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined =>
  [environment['LACHESIS_URL'], environment['LACHESIS_CONTROL_URL']].find(
    (address) => address !== undefined && address !== '',
  );
