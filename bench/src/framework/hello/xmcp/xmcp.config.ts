export default { stdio: true }
