/**
 * Who may import whom.
 *
 * A room is a folder with one job. `mayImport` lists the other rooms whose files it may name; its own files are always
 * allowed. Rooms that are still to be built stand here too, so that their walls are up before the first line is written.
 * A new arrow is a change of architecture: add it here in the commit that needs it, and say why in that commit.
 */
export interface Room {
  /** The noun used in folders, commands, logs and docs. */
  readonly name: string;
  /** Where it lives, from the root of the repository. The deepest folder that holds a file decides its room. */
  readonly folder: string;
  readonly mayImport: readonly string[];
  /** What the room may use besides rooms: npm packages by name, and `node:` for Node's own modules. Absent: anything installed. */
  readonly libraries?: readonly string[];
}

// What the product does is in services; a station adds routes to it, and how its process starts. The entry point of the SDK is
// its clients; a package is imported by its name, so the arrow ends at its entry point.
const stationsMayImport = [
  'server/services',
  'server/http',
  'server/settings',
  'server/logs',
  'server/process',
  'store',
  'protocol',
  'protocol/home',
  'sdk',
  'sdk/clients',
  'sdk/render',
  'tinker',
] as const;

const serverRooms = [
  'server/services',
  'server/http',
  'server/settings',
  'server/logs',
  'server/process',
  'server/trajectory-api',
  'server/inference',
  'server/trainer',
  'server/reward',
  'server/control',
] as const;

export const rooms: readonly Room[] = [
  { name: 'protocol', folder: 'packages/protocol/src', mayImport: [], libraries: ['zod'] },
  // The layout of the home. A room of its own, for those who may load no schema: what stands before every command.
  { name: 'protocol/home', folder: 'packages/protocol/src/home', mayImport: ['protocol'], libraries: [] },
  // Files that processes of one machine hold. A room of its own, because it needs Node and protocol does not.
  { name: 'protocol/files', folder: 'packages/protocol/src/files', mayImport: [], libraries: ['node:'] },
  // The engine lives in the home, and so do database and payloads.
  { name: 'tinker', folder: 'packages/tinker/src', mayImport: ['protocol', 'protocol/home', 'protocol/files'] },
  { name: 'store', folder: 'packages/store/src', mayImport: ['protocol', 'protocol/home'] },

  // The entry point of the SDK (files directly in src) shows the clients and nothing that needs Node.
  { name: 'sdk', folder: 'packages/sdk/src', mayImport: ['sdk/clients', 'protocol'] },
  { name: 'sdk/clients', folder: 'packages/sdk/src/clients', mayImport: ['protocol'] },
  // Files by name from a hub; render takes tokenizers from there.
  { name: 'sdk/hub', folder: 'packages/sdk/src/hub', mayImport: ['protocol'] },
  { name: 'sdk/render', folder: 'packages/sdk/src/render', mayImport: ['sdk/hub', 'protocol'] },
  { name: 'sdk/config', folder: 'packages/sdk/src/config', mayImport: ['protocol'] },
  // Which addresses may be asked when somebody else wrote them.
  { name: 'sdk/egress', folder: 'packages/sdk/src/egress', mayImport: ['protocol'] },
  // The folder of this user, and the token that a server left in it.
  { name: 'sdk/home', folder: 'packages/sdk/src/home', mayImport: ['protocol/home'], libraries: ['node:'] },
  // What a sandbox may ask of the network goes through the egress rule.
  { name: 'sdk/sandbox', folder: 'packages/sdk/src/sandbox', mayImport: ['sdk/egress', 'protocol'] },
  {
    name: 'sdk/capture',
    folder: 'packages/sdk/src/capture',
    // Recorders leave what they record in the outbox of the home.
    mayImport: ['sdk/clients', 'sdk/home', 'protocol', 'protocol/home'],
  },
  {
    name: 'sdk/agent',
    folder: 'packages/sdk/src/agent',
    // What stands behind toolsets is a file of settings; addresses that a model or a page wrote are asked through the egress rule.
    mayImport: ['sdk/clients', 'sdk/config', 'sdk/egress', 'sdk/render', 'sdk/sandbox', 'protocol'],
  },
  {
    name: 'sdk/environment',
    folder: 'packages/sdk/src/environment',
    // An address that an agent set is asked through the egress rule. What an environment writes for a run lies in the home.
    mayImport: [
      ...['sdk/agent', 'sdk/clients', 'sdk/config', 'sdk/egress', 'sdk/home', 'sdk/render', 'sdk/sandbox'],
      ...['protocol', 'protocol/home'],
    ],
  },

  {
    name: 'environments',
    folder: 'packages/environments/src',
    // Prompts come from data sets on a hub.
    mayImport: [
      'sdk',
      'sdk/clients',
      'sdk/hub',
      'sdk/render',
      'sdk/sandbox',
      'sdk/agent',
      'sdk/environment',
      'protocol',
    ],
  },
  {
    name: 'data',
    folder: 'packages/data/src',
    mayImport: [
      'protocol',
      // An output is written by one process at a time.
      'protocol/files',
      'store',
      'sdk',
      'sdk/clients',
      'sdk/render',
      'sdk/sandbox',
      'sdk/agent',
      'sdk/environment',
    ],
  },

  // The entry point of the server (files directly in src) shows what the CLI starts, so importing it is importing stations.
  { name: 'server', folder: 'packages/server/src', mayImport: [...serverRooms, 'protocol'] },
  {
    name: 'server/http',
    folder: 'packages/server/src/http',
    mayImport: ['server/settings', 'protocol', 'protocol/home', 'store'],
  },
  // Two rooms in http that need no web server: what may be set, and where log lines go. Services may see them.
  {
    name: 'server/settings',
    folder: 'packages/server/src/http/settings',
    mayImport: ['protocol', 'protocol/home', 'store'],
  },
  { name: 'server/logs', folder: 'packages/server/src/http/logs', mayImport: [], libraries: ['pino'] },
  // Sockets, connections and children: how any station is kept alive.
  {
    name: 'server/process',
    folder: 'packages/server/src/process',
    mayImport: ['server/http', 'server/settings', 'store', 'protocol/home'],
  },
  {
    // What the product does. Routes and commands call it; it knows neither, so that both give the same answer.
    name: 'server/services',
    folder: 'packages/server/src/services',
    mayImport: [
      'server/settings',
      'server/logs',
      'store',
      'data',
      'tinker',
      'protocol',
      'protocol/home',
      'sdk',
      'sdk/clients',
      'sdk/render',
      // The library drains the outboxes that recorders leave in the home.
      'sdk/capture',
      'sdk/config',
      // An address that an agent set is checked as it is where environments ask it.
      'sdk/egress',
    ],
    libraries: ['zod', 'pino', 'node:'],
  },
  { name: 'server/trajectory-api', folder: 'packages/server/src/trajectory-api', mayImport: stationsMayImport },
  {
    name: 'server/inference',
    folder: 'packages/server/src/inference',
    // It reads calls with the same reader, and records them into the same outbox files, as an application does.
    mayImport: [...stationsMayImport, 'sdk/capture'],
  },
  { name: 'server/trainer', folder: 'packages/server/src/trainer', mayImport: stationsMayImport },
  { name: 'server/reward', folder: 'packages/server/src/reward', mayImport: stationsMayImport },
  { name: 'server/control', folder: 'packages/server/src/control', mayImport: stationsMayImport },

  {
    name: 'cli',
    folder: 'packages/cli/src',
    mayImport: ['cli/commands', 'cli/flags', 'cli/terminal', 'cli/secrets', 'protocol'],
  },
  { name: 'cli/commands', folder: 'packages/cli/src/commands', mayImport: ['*'] },
  // What a person sees and types, and how a command ends. It knows nothing of what is shown, so that every command can use it.
  { name: 'cli/terminal', folder: 'packages/cli/src/terminal', mayImport: [], libraries: ['node:'] },
  // What several commands take, and how it is read. It is loaded before the work and starts nothing.
  {
    name: 'cli/flags',
    folder: 'packages/cli/src/flags',
    // Which models a server has, when none was named.
    mayImport: [
      'cli/terminal',
      'protocol',
      'sdk',
      'sdk/agent',
      'sdk/clients',
      'sdk/config',
      'sdk/environment',
      'sdk/home',
      'tinker',
    ],
  },
  // The library and the runs that the flags name: behind a server, or in the home of this machine. Whether a server keeps the same home
  // only the settings and the sign of that server tell, and those are at its entry point.
  {
    name: 'cli/flags/library',
    folder: 'packages/cli/src/flags/library',
    mayImport: [
      'cli/flags',
      'cli/terminal',
      'protocol',
      'protocol/home',
      'sdk',
      'sdk/clients',
      'server',
      'server/services',
      'store',
      'data',
    ],
  },
  // What one command does, in several files. It starts processes through a command and not by itself.
  {
    name: 'cli/demo',
    folder: 'packages/cli/src/demo',
    mayImport: [
      'cli/commands',
      'cli/flags',
      'cli/terminal',
      'environments',
      'tinker',
      'sdk/render',
      'protocol',
      'protocol/home',
    ],
  },
  // What people see of trajectories and feedback in a terminal; where the records come from is handed in.
  {
    name: 'cli/library',
    folder: 'packages/cli/src/library',
    mayImport: ['cli/terminal', 'sdk', 'sdk/clients', 'protocol'],
  },
  // What people see of runs in a terminal; the server is handed in as a client. A run that was mistyped is found as a flag is.
  {
    name: 'cli/runs',
    folder: 'packages/cli/src/runs',
    mayImport: ['cli/flags', 'cli/terminal', 'sdk', 'sdk/clients', 'protocol'],
  },
  // Checks what was found on this machine; the facts are handed in.
  { name: 'cli/doctor', folder: 'packages/cli/src/doctor', mayImport: ['cli', 'cli/terminal'], libraries: [] },
  // The file of keys. It stands before every command, so it loads nothing else than where that file lies.
  {
    name: 'cli/secrets',
    folder: 'packages/cli/src/secrets',
    mayImport: ['protocol/home', 'sdk/home'],
    libraries: ['node:'],
  },
  { name: 'cli/mcp', folder: 'packages/cli/src/mcp', mayImport: ['sdk', 'sdk/clients', 'protocol'] },
  {
    name: 'cli/agent',
    folder: 'packages/cli/src/agent',
    // Paths of a model are followed as those of a setting are.
    mayImport: ['sdk', 'sdk/agent', 'sdk/clients', 'sdk/config', 'protocol'],
  },

  { name: 'dashboard', folder: 'apps/dashboard/src', mayImport: ['sdk', 'sdk/clients', 'protocol'] },
];

/** One file that draws an arrow its room may not, and why it is right there. One that is no longer drawn fails a test. */
export interface Exception {
  readonly file: string;
  /** The room at the end of the arrow. */
  readonly to: string;
  readonly reason: string;
}

export const exceptions: readonly Exception[] = [
  {
    file: 'packages/server/src/trainer/build.ts',
    to: 'server/inference',
    reason:
      'A trainer may host the gateway in its own process, on one port, so that a laptop runs one server less. Here they are joined; the rest of the trainer knows two functions of it.',
  },
  {
    file: 'packages/server/src/trainer/recovery.test.ts',
    to: 'server/trajectory-api',
    reason: 'The test kills a trainer before the real queue, whose batches must each be in the weights once.',
  },
  {
    file: 'packages/server/src/control/routes.test.ts',
    to: 'sdk/capture',
    reason: 'The test leaves records in an outbox as an application does; control itself has the library drain them.',
  },
];

/** What to do instead, for the arrows people reach for. The first line that fits is shown. */
export const lessons: readonly { from: RegExp; to: RegExp; instead: string }[] = [
  {
    from: /./,
    to: /^server$/,
    instead: 'Only cli/commands starts servers. Take what you need as an option, and let a command hand it in.',
  },
  {
    from: /^server\/(trajectory-api|trainer|inference|reward|control)$/,
    to: /^server\/(trajectory-api|trainer|inference|reward|control)$/,
    instead:
      'Stations run in processes of their own. Speak to the other one over HTTP, with its client in sdk/clients; what both do is a service.',
  },
  {
    from: /^server\/services$/,
    to: /^server\//,
    instead:
      'Services know neither routes nor how a process starts. Give the plain values or functions that the route makes its answer from.',
  },
  {
    from: /^protocol$/,
    to: /./,
    instead:
      'protocol is the bottom: shapes and codecs that run anywhere. Move the code up to the room that needs both.',
  },
  {
    from: /^server\/(http|settings|logs|process)$/,
    to: /^server\//,
    instead:
      'http and process are under every station. Pass the station’s part in as an option, or move the code into the station.',
  },
  {
    from: /^sdk/,
    to: /^(store|tinker|server)/,
    instead:
      'The SDK is what people install beside their own code: reach servers through sdk/clients, never their insides.',
  },
  {
    from: /^cli\/(mcp|agent)$/,
    to: /./,
    instead: 'Tools and agents are ordinary clients: use sdk/clients, so that they also work against a remote server.',
  },
  {
    from: /^store$/,
    to: /./,
    instead:
      'store keeps rows and blobs and knows no station. Put the rule in the station, and give store the plain values.',
  },
];
