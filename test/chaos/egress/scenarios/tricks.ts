import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { ADDRESS_TRICKS } from '../cases/address-tricks.ts';
import { MESSAGE_TRICKS } from '../cases/message-tricks.ts';
import { playTrick, send, type Trick } from '../cases/trick.ts';
import { openWorld, PUBLIC, type World } from '../world/open-world.ts';

const LEAST = 60;

export const TRICKS: readonly Trick[] = [...ADDRESS_TRICKS, ...MESSAGE_TRICKS];

/** What the tricks reached, by name. */
export async function playTricks(world: World, tricks: readonly Trick[]): Promise<string[]> {
  const won: string[] = [];
  for (const trick of tricks) {
    const got = await playTrick(world, trick);
    if (got !== undefined) won.push(`${trick.name}: ${got}`);
  }
  return won;
}

export const trickScenario: Scenario = {
  name: 'tricks',
  title: 'Spellings, names that change, redirects and messages of two meanings reach nothing through the proxy.',
  async run(context) {
    const world = await openWorld(context);
    await showAllowed(context, world);
    const won = await playTricks(world, TRICKS);
    for (const each of won) context.log(each);
    context.report({
      name: 'tricks on the proxy',
      figure: `${won.length} of ${TRICKS.length} get through${won.length === 0 ? '' : ` (${won[0]?.slice(0, 120)})`}`,
      bar: `0 of ≥ ${LEAST}`,
      ok: won.length === 0 && TRICKS.length >= LEAST,
    });
    const logged = world.countLogged();
    context.report({
      name: 'requests in the log',
      figure: `${logged} of ≥ ${TRICKS.length}`,
      bar: 'every trick',
      ok: logged >= TRICKS.length,
    });
  },
};

/** A proxy that lets nobody through would win too. */
async function showAllowed(context: ScenarioContext, world: World): Promise<void> {
  const host = 'allowed.example.com';
  const asked = {
    plain: [`GET http://${host}/a HTTP/1.1`, `Host: ${host}`, '', ''],
    'with a dot': [`GET http://${host}./a HTTP/1.1`, `Host: ${host}.`, '', ''],
    chunks: [
      `POST http://${host}/ HTTP/1.1`,
      `Host: ${host}`,
      'Transfer-Encoding: chunked',
      '',
      '3\r\nabc\r\n0\r\n\r\n',
    ],
    length: [`POST http://${host}/ HTTP/1.1`, `Host: ${host}`, 'Content-Length: 3', '', 'abc'],
    tunnel: [`CONNECT ${host}:443 HTTP/1.1`, `Host: ${host}:443`, '', ''],
    'by a pattern': ['GET http://a.wild.example.com/ HTTP/1.1', 'Host: a.wild.example.com', '', ''],
  };
  const said: string[] = [];
  for (const lines of Object.values(asked)) said.push(await send(world, { list: 'named' }, lines));
  const fine = said.filter((each) => each.startsWith('HTTP/1.1 200 ')).length;
  const places = new Set(world.dialled);
  context.report({
    name: 'an allowed host',
    figure: `${fine} of ${said.length} answered, from ${[...places].join(' and ')}`,
    bar: `all, from ${PUBLIC}`,
    ok: fine === said.length && places.size === 1 && places.has(PUBLIC),
  });
}
