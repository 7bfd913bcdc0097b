const texts: ReadonlyMap<string, string> = new Map([
  ['invalid_client', 'The app is not known here, or the document about it could not be read. Go back and start again.'],
  ['invalid_redirect', 'The app asks to be answered at an address that it did not register. Nothing was sent there.'],
  ['client_disabled', 'The app is turned off here.'],
  [
    'unsupported_response_type',
    'The app asks in a way that is not supported. It must use the authorization code flow.',
  ],
  ['signup_disabled', 'Nobody here has your address. Ask the owner of this hub to add you.'],
  ['account_not_linked', 'Your address belongs to a user who signs in another way. Ask the owner of this hub.'],
  ['unable_to_get_user_info', 'The identity provider did not vouch for an address that may sign in here.'],
  ['user_disabled', 'You may not sign in here any more.'],
  ['state_mismatch', 'The sign-in was begun in another browser, or took too long. Begin again.'],
  ['please_restart_the_process', 'The sign-in took too long. Begin again.'],
])

/** What a person is told about a failure. The code comes from the address, so nothing of it is shown. */
export function describeLoginFailure(code: string): string {
  return texts.get(code) ?? 'This did not work. Go back and start again.'
}
