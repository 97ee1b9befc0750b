import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';

/** Addresses of version 4 and 6 that a name has when it is asked for the n-th time, from 1. */
export type Zone = Readonly<Record<string, (time: number) => readonly string[]>>;

export interface DnsServer extends AsyncDisposable {
  /** As the egress rule wants it, asking this server and nobody else. */
  lookup(host: string): Promise<{ address: string }[]>;
}

const [TYPE_A, TYPE_AAAA] = [1, 28];
const HEADER_BYTES = 12;

/** A name server on the loopback whose answers change from one question to the next, with no time to live. */
export async function startDnsServer(zone: Zone): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const times = new Map<string, number>();
  socket.on('message', (question, { port, address }) => {
    const [name, type, end] = readQuestion(question);
    const key = `${name} ${type}`;
    const time = (times.get(key) ?? 0) + 1;
    times.set(key, time);
    const found = (zone[name]?.(time) ?? []).filter((each) => each.includes(':') === (type === TYPE_AAAA));
    socket.send(writeAnswer(question.subarray(0, end), type, found), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return {
    async lookup(host) {
      const found = await Promise.all([
        resolver.resolve4(host).catch(() => []),
        resolver.resolve6(host).catch(() => []),
      ]);
      return found.flat().map((address) => ({ address }));
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => socket.close(resolve)),
  };
}

function readQuestion(message: Buffer): [name: string, type: number, end: number] {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return [labels.join('.').toLowerCase(), message.readUInt16BE(at + 1), at + 5];
}

function writeAnswer(question: Buffer, type: number, addresses: readonly string[]): Buffer {
  const header = Buffer.from(question.subarray(0, HEADER_BYTES));
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  header.writeUInt32BE(0, 8);
  const records = addresses.map((address) => {
    const data = type === TYPE_A ? Buffer.from(address.split('.').map(Number)) : writeAddress6(address);
    const record = Buffer.alloc(12);
    // The name of the question, by its place in the message; class IN; kept for no time.
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(data.length, 10);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([header, question.subarray(HEADER_BYTES), ...records]);
}

/** Of a spelling in hexadecimal groups with one `::`. */
function writeAddress6(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((each) => Number.parseInt(each, 16));
  const [left, right] = [groups(head), groups(tail)];
  const all = [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
  const bytes = Buffer.alloc(16);
  all.forEach((group, index) => bytes.writeUInt16BE(group, index * 2));
  return bytes;
}
