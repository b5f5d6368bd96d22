import Foundation
import Signing
import TestSupport
import Testing

extension SystemTests {
    @Suite("An assembler that must not sign")
    struct CredentialRefusals {
        /// A fault in the signer's settings.
        enum Fault: String, Sendable, CaseIterable {
            case keyOfAnotherCertificate, expiredChain, notYetValid, authorityAsSigner, serverCertificate, noCertificate, noKey,
                missingModule

            /// The variable that the message must name.
            var variable: String {
                switch self {
                case .noKey, .keyOfAnotherCertificate: "RIAL_C2PA_PRIVATE_KEY"
                case .missingModule: "RIAL_C2PA_PKCS11_MODULE"
                default: "RIAL_C2PA_CERTIFICATES"
                }
            }

            /// The problem that the message must state.
            var problem: String {
                switch self {
                case .keyOfAnotherCertificate: "does not belong to"
                case .expiredChain: "expired on"
                case .notYetValid: "is not valid before"
                case .authorityAsSigner: "CA:TRUE"
                case .serverCertificate: "extended key usage"
                case .noCertificate, .noKey: "is not set"
                case .missingModule: "cannot be loaded"
                }
            }
        }

        @Test("ends at the start, names the setting, and never shows the key", .timeLimit(.minutes(4)), arguments: Fault.allCases)
        func refuses(fault: Fault) async throws {
            let identity = try DevelopmentAuthority.Identity.fresh()
            var settings = ["RIAL_C2PA_CERTIFICATES": identity.chainPEM, "RIAL_C2PA_PRIVATE_KEY": identity.privateKeyPEM]
            let day: TimeInterval = 86_400
            switch fault {
            case .keyOfAnotherCertificate: settings["RIAL_C2PA_PRIVATE_KEY"] = try DevelopmentAuthority.Identity.fresh().privateKeyPEM
            case .expiredChain: try use(DateInterval(start: Date() - 2 * day, duration: day), &settings)
            case .notYetValid: try use(DateInterval(start: Date() + day, duration: day), &settings)
            case .authorityAsSigner:
                settings["RIAL_C2PA_CERTIFICATES"] = try DevelopmentAuthority(algorithm: .ed25519, validFrom: Date() - day).issuingPEM
            case .serverCertificate: settings["RIAL_C2PA_CERTIFICATES"] = try await Self.serverCertificate()
            case .noCertificate: settings["RIAL_C2PA_CERTIFICATES"] = ""
            case .noKey: settings["RIAL_C2PA_PRIVATE_KEY"] = ""
            case .missingModule:
                settings["RIAL_C2PA_PRIVATE_KEY"] = nil
                let token = ["RIAL_C2PA_PKCS11_TOKEN": "x", "RIAL_C2PA_PKCS11_PIN": "user-pin-4711", "RIAL_C2PA_PKCS11_KEY": "x"]
                settings.merge(token) { _, new in new }
                settings["RIAL_C2PA_PKCS11_MODULE"] = "/nonexistent/module.so"
            }
            let message = try await Self.refusal(settings)
            #expect(message.contains(fault.variable) && message.contains(fault.problem), "\(message)")
            let secret = identity.privateKeyPEM.split(separator: "\n").dropFirst().first.map(String.init) ?? ""
            #expect(!message.contains(secret) && !message.contains("user-pin-4711"))
        }

        @Test(
            "refuses a key that could leave its token", .timeLimit(.minutes(4)),
            .enabled(if: CredentialToken.isInstalled, "softhsm2 and opensc are not installed"))
        func extractable() async throws {
            let token = try await CredentialToken(flags: ["--extractable"])
            let message = try await Self.refusal(token.settings().variables)
            #expect(message.contains("RIAL_C2PA_PKCS11_") && message.contains("extractable"), "\(message)")
            #expect(!message.contains(CredentialToken.pin))
        }

        private func use(_ validity: DateInterval, _ settings: inout [String: String]) throws {
            let identity = try DevelopmentAuthority.make(algorithm: .ed25519, leafValidity: validity, now: Date())
            settings["RIAL_C2PA_CERTIFICATES"] = identity.chainPEM
            settings["RIAL_C2PA_PRIVATE_KEY"] = identity.privateKeyPEM
        }

        /// A certificate for TLS servers, issued by openssl.
        private static func serverCertificate() async throws -> String {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rial-tls-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = { (name: String) in folder.appendingPathComponent(name).path }
            let new = ["req", "-x509", "-newkey", "ed25519", "-nodes", "-days", "10"]
            let root = ["-subj", "/O=Test/CN=root", "-keyout", file("root.key"), "-out", file("root.pem")]
            _ = try await LocalStack.run("/usr/bin/env", ["openssl"] + new + root, [:])
            let leaf = [
                "-subj", "/O=Test/CN=server", "-CA", file("root.pem"), "-CAkey", file("root.key"), "-keyout", file("leaf.key"), "-out",
                file("leaf.pem"), "-addext", "basicConstraints=critical,CA:FALSE", "-addext", "keyUsage=critical,digitalSignature",
                "-addext", "extendedKeyUsage=serverAuth",
            ]
            _ = try await LocalStack.run("/usr/bin/env", ["openssl"] + new + leaf, [:])
            return try String(contentsOfFile: file("leaf.pem"), encoding: .utf8)
        }

        /// The message with which the program exits with a failure; it cannot fall back to a stack's key.
        private static func refusal(_ settings: [String: String]) async throws -> String {
            let stack = try LocalStack.required()
            let program = SharedData.projectRoot.appendingPathComponent(".build/debug/evidence-assembler").path
            var variables = stack.addresses.filter { $0.key.hasPrefix("RIAL_S3") || $0.key.hasPrefix("RIAL_KAFKA") }
            variables["RIAL_DATABASE_URL"] = stack.addresses["RIAL_DATABASE_URL"]
            // The port is already in use: if the program started in spite of its settings, it would exit as well, but with another message.
            let port = stack.addresses["RIAL_ADMIN_EVIDENCE_ASSEMBLER"]?.split(separator: ":").last.map(String.init)
            variables.merge(["RIAL_MODE": "development", "RIAL_ADMIN_PORT": port ?? "1", "RIAL_ADMIN_HOST": "127.0.0.1"]) { $1 }
            variables.merge(settings) { $1 }
            do {
                let output = try await LocalStack.run("/usr/bin/timeout", ["20", program], variables)
                return "it ended well: \(output)"
            } catch let failure as LocalStack.CommandFailed {
                return failure.output
            }
        }
    }
}
