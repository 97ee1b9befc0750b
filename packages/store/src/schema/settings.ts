/** A setting and where its value came from. */
export interface SettingsTable {
  tenant_id: string;
  /** What it applies to, such as `server` or `run:<id>`. */
  scope: string;
  name: string;
  /** JSON text. */
  value: string;
  /** `default`, `environment`, `file`, `option` or who set it. */
  origin: string;
  updated_at: number;
}
