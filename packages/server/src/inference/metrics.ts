import { Counter, Gauge, type Registry } from 'prom-client';

/** What the station counts beyond requests. */
export class InferenceMetrics {
  readonly cancelled: Counter;
  readonly sampledTokens: Counter;
  readonly promptTokens: Counter;
  readonly switches: Counter;
  readonly policyVersion: Gauge;
  readonly inFlight: Gauge;
  readonly backendUp: Gauge;

  constructor(registry: Registry, observe: { inFlight: () => number; isBackendUp: () => boolean }) {
    const registers = [registry];
    this.cancelled = new Counter({
      name: 'lachesis_inference_cancelled_total',
      help: 'Completions whose caller hung up.',
      registers,
    });
    this.sampledTokens = new Counter({
      name: 'lachesis_inference_sampled_tokens_total',
      help: 'Tokens sampled.',
      registers,
    });
    this.promptTokens = new Counter({
      name: 'lachesis_inference_prompt_tokens_total',
      help: 'Tokens of prompts.',
      registers,
    });
    this.switches = new Counter({
      name: 'lachesis_inference_policy_switches_total',
      help: 'Times the served weights changed.',
      registers,
    });
    this.policyVersion = new Gauge({
      name: 'lachesis_inference_policy_version',
      help: 'The policy version that answers.',
      registers,
    });
    this.inFlight = new Gauge({
      name: 'lachesis_inference_in_flight',
      help: 'Completions under way.',
      registers,
      collect() {
        this.set(observe.inFlight());
      },
    });
    this.backendUp = new Gauge({
      name: 'lachesis_inference_backend_up',
      help: '1 while the backend answers, 0 while its circuit is open.',
      registers,
      collect() {
        this.set(observe.isBackendUp() ? 1 : 0);
      },
    });
  }
}
