import Crypto
import Foundation
import NIOSSL
import ServiceRuntime
import TestSupport
import Testing

@testable import Gateway

@Suite("The gateway's certificate and key")
struct TLSSettingsTests {
    private func variable(_ variables: [String: String]) -> String? {
        do {
            _ = try Settings.tls(ServiceEnvironment(variables))
            return nil
        } catch {
            return (error as? SettingsError)?.variable ?? "\(error)"
        }
    }

    @Test("what does not fit is named at the start, before the first client finds out")
    func refusals() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "rial-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func file(_ name: String, _ text: String) throws -> String {
            let file = folder.appending(path: name)
            try Data(text.utf8).write(to: file)
            return file.path
        }
        let key = P256.Signing.PrivateKey()
        let certificate = try file("tls.pem", try ServerAuthority().leafPEM(key))
        let keyFile = try file("tls.key", key.pemRepresentation)
        let (otherKey, text) = (try file("other.key", P256.Signing.PrivateKey().pemRepresentation), try file("text", "no PEM"))
        let (given, missing) = ("RIAL_TLS_CERTIFICATE", folder.appending(path: "missing").path)

        #expect(try Settings.tls(ServiceEnvironment([:])) == nil)
        let tls = try #require(try Settings.tls(ServiceEnvironment([given: certificate, "RIAL_TLS_KEY": keyFile])))
        #expect(tls.minimumTLSVersion == .tlsv13)
        #expect(variable([given: certificate]) == "RIAL_TLS_KEY")
        #expect(variable(["RIAL_TLS_KEY": keyFile]) == given)
        for wrong in [missing, text, keyFile] { #expect(variable([given: wrong, "RIAL_TLS_KEY": keyFile]) == given, "\(wrong)") }
        for wrong in [missing, text, certificate, otherKey] {
            #expect(variable([given: certificate, "RIAL_TLS_KEY": wrong]) == "RIAL_TLS_KEY", "\(wrong)")
        }
    }
}
