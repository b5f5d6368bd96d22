import Blocking
import Foundation
import Models
import Signing
import TestSupport
import Testing

@testable import ContentCredentials

@Suite("Hostile files")
struct HostileFileTests {
    private static let seed = SeededGenerator.seed(for: "files of noise")
    private static let types = MediaFormat.allCases.map(\.mimeType) + ["", "text/plain", "image/jpeg\0", "../../etc/passwd"]

    @Test("get a report for every claimed type", arguments: types)
    func garbage(type: String) throws {
        let fixture = try Fixture()
        var generator = SeededGenerator(seed: Self.seed)
        let random = (0..<4_096).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let files: [[UInt8]] = [[], [0], random, [0xff, 0xd8] + random, [UInt8](repeating: 0, count: 100_000)]
        for bytes in files {
            let report = try fixture.read(bytes, mediaType: type)
            #expect(report.state == .none || report.state == .unreadable)
            #expect(report.activeManifest == nil && report.assertions.isEmpty)
        }
    }

    @Test("get a report wherever they are cut off")
    func truncated() throws {
        let fixture = try Fixture()
        let copy = try fixture.sign().copy
        for count in stride(from: 0, to: copy.count, by: 997) {
            let state = try fixture.read(Array(copy.prefix(count))).state
            #expect([.none, .unreadable, .invalid].contains(state), "cut at \(count)")
        }
    }

    @Test("get a report for a manifest cut off anywhere")
    func truncatedManifest() throws {
        let fixture = try Fixture()
        let (copy, result) = try fixture.sign()
        let file = try NamelessFile(holding: copy)
        let reader = try CredentialReader(trustAnchorsPEM: fixture.identity.rootPEM)
        for count in stride(from: 0, to: result.manifest.count, by: 997) {
            let report = reader.read(
                manifest: Array(result.manifest.prefix(count)), fileDescriptor: file.descriptor, mediaType: "image/jpeg", at: Date())
            #expect(report.state != .trusted && report.state != .valid, "cut at \(count)")
        }
    }

    @Test("get a report when there is no file")
    func noFile() throws {
        let reader = try CredentialReader(trustAnchorsPEM: nil)
        for type in [nil, "image/jpeg"] {
            let report = reader.read(fileDescriptor: -1, mediaType: type, at: .now)
            #expect(report.state == .unreadable)
            #expect(report.validationCodes.first?.code.hasPrefix("c2pa.error.") == true)
        }
    }

    @Test("leave the descriptor's position alone")
    func position() throws {
        let fixture = try Fixture()
        let file = try NamelessFile(holding: fixture.sign().copy)
        lseek(file.descriptor, 5, SEEK_SET)
        let reader = try CredentialReader(trustAnchorsPEM: fixture.identity.rootPEM)
        #expect(reader.read(fileDescriptor: file.descriptor, mediaType: nil, at: .now).state == .trusted)
        #expect(lseek(file.descriptor, 0, SEEK_CUR) == 5)
    }
}
