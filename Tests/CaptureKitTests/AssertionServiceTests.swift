import CaptureKit
import CaptureProtocol
import Foundation
import SimulatedDevice
import Testing

@Suite("The simulated attestation service")
struct AssertionServiceTests {
    private let hash = [UInt8](repeating: 7, count: 32)

    @Test("keeps its keys and counters for the next process, and attests a key once")
    func persists() throws {
        try withFolder { folder in
            let authority = try DevelopmentAttestationAuthority()
            let service = SimulatedAttestationService(folder: folder, authority: authority)
            let key = try service.generateKey()
            #expect(throws: AttestationServiceFailure.invalidKey) { try service.generateAssertion(key, clientDataHash: hash) }
            _ = try service.attestKey(key, clientDataHash: hash)
            let first = try service.generateAssertion(key, clientDataHash: hash)

            let restarted = SimulatedAttestationService(folder: folder, authority: authority)
            #expect(try restarted.generateAssertion(key, clientDataHash: hash).suffix(4) == [0, 0, 0, 2])
            #expect(first.suffix(4) == [0, 0, 0, 1])
            #expect(throws: AttestationServiceFailure.invalidKey) { try restarted.attestKey(key, clientDataHash: hash) }
            #expect(try restarted.attestations == [key: 2])
            #expect(throws: AttestationServiceFailure.invalidKey) { try restarted.attestKey("unknown", clientDataHash: hash) }
        }
    }

    @Test("uses no counter twice, whoever asks at once")
    func counters() async throws {
        try await withFolder { folder in
            let authority = try DevelopmentAttestationAuthority()
            let first = SimulatedAttestationService(folder: folder, authority: authority)
            let key = try first.generateKey()
            _ = try first.attestKey(key, clientDataHash: hash)
            let counters = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 1...20 {
                    group.addTask {
                        let service = SimulatedAttestationService(folder: folder, authority: authority)
                        return try service.generateAssertion(key, clientDataHash: hash).suffix(4)
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(counters.count == 20)
        }
    }

    @Test("keeps its private keys from others")
    func permissions() throws {
        try withFolder { folder in
            _ = try SimulatedAttestationService(folder: folder, authority: DevelopmentAttestationAuthority()).generateKey()
            for (path, mode) in [(folder.path, 0o700), (folder.appendingPathComponent("keys.json").path, 0o600)] {
                #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == mode)
            }
        }
    }

    @Test("of a device without App Attest does nothing")
    func unsupported() throws {
        try withFolder { folder in
            let service = SimulatedAttestationService(
                folder: folder, authority: try DevelopmentAttestationAuthority(), isSupported: false)
            #expect(throws: AttestationServiceFailure.notSupported) { try service.generateKey() }
            #expect(!FileManager.default.fileExists(atPath: folder.path))
        }
    }

    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rial-attestation-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rial-attestation-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }
}
