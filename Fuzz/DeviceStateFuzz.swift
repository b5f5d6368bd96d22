import CaptureProtocol
import Foundation

@testable import CaptureKit

private let now = Date(timeIntervalSince1970: 1_790_000_000)

/// libFuzzer's entry: the input as what the device keeps: its identities, a capture's facts, the store's key, the name of a file.
///
/// What is read must be written and read again as the same, and must not stop a request from being signed or refused.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDeviceState(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    for identity in reread([DeviceIdentity].self, input) ?? [] {
        let attestation = DeviceRegistration.Attestation(keyID: input, attestationObject: input, challenge: input)
        precondition((try? identity.registrationBody(of: Device(), attestation: attestation)) != nil, "no body for an identity")
        let signer = DeviceSigner(identity, keys: SoftwareRequestKeyService())
        precondition((signer == nil) == (identity.deviceID == nil), "a registered device that does not sign")
        _ = try? signer?.headers(method: "POST", target: "/", bodyDigest: ContentDigest(of: input), at: now)
    }
    _ = reread(CaptureFacts.self, input)
    let key = try? StoreKey.load(from: OneItem(bytes: input), storeIsEmpty: true)
    precondition((key == nil) == (input.count != 32), "a key of another length")
    let name = String(decoding: input, as: UTF8.self)
    if let item = SealedFileName.item(of: name) { precondition(SealedFileName.final(item) == name, "another file's name") }
    precondition(!SealedFileName.isTemporary(name) || SealedFileName.item(of: name) == nil, "complete and temporary")
    return 0
}

private func reread<Value: Codable & Equatable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
    guard let value = try? JSONDecoder().decode(type, from: Data(bytes)) else { return nil }
    guard let written = try? JSONEncoder().encode(value) else { preconditionFailure("read, but cannot be written") }
    precondition((try? JSONDecoder().decode(type, from: written)) == value, "written as something else")
    return value
}

private struct Device: DeviceInfo {
    let hardwareIdentifier = "iPhone16,1"
    let hasLiDAR = true
    let systemVersion = "18.0"
}

/// A secure store with the same bytes for each item.
private struct OneItem: SecureStore {
    let bytes: [UInt8]
    func load(_ item: SecureItem) -> [UInt8]? { bytes }
    func add(_ bytes: [UInt8], as item: SecureItem) throws(SecureStoreError) { throw .exists }
    func save(_ bytes: [UInt8], as item: SecureItem) {}
    func delete(_ item: SecureItem) {}
}
