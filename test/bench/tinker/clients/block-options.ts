export interface BlockOptions {
  readonly url: string;
  readonly blockMs: number;
  /** `client`: as our client does it. `main-thread`: the seeded fault, a timer of the thread that is blocked. */
  readonly heartbeat: 'client' | 'main-thread';
}
