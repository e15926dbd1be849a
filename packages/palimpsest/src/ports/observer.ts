/** Someone who watches: every edit, loss, repair, call and unexpected event, as data. */
export interface Observer {
  onEvent(event: { readonly type: string }): void;
}
