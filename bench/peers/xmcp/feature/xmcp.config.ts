export default { stdio: true, http: { host: '127.0.0.1' } }
