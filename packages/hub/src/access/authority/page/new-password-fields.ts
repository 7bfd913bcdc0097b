import { html, type Html } from './html.ts'

/** Where a person enters a new password, twice. What counts as one is up to `passwordProblem`. */
export function newPasswordFields(): Html {
  return html`<label
      >New password <span class="hint">at least 12 characters</span>
      <input name="password" type="password" autocomplete="new-password" minlength="12" maxlength="256" required
    /></label>
    <label
      >New password, again
      <input name="again" type="password" autocomplete="new-password" minlength="12" maxlength="256" required
    /></label>`
}
