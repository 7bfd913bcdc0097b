export { createAddressGuard, createAddressFetch, type AddressGuard } from './address-guard.ts'
export { type AddressPolicy } from './address-policy.ts'
export { classifyAddress, type AddressKind } from './classify-address.ts'
export { toAddressPolicy } from './to-address-policy.ts'
