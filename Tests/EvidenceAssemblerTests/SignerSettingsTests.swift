import ServiceRuntime
import Testing

@testable import EvidenceAssembler

@Suite("The settings of the signer of Content Credentials")
struct SignerSettingsTests {
    private static let pem = "-----BEGIN CERTIFICATE-----"
    private static let token = [
        "RIAL_C2PA_CERTIFICATES": pem, "RIAL_C2PA_PKCS11_MODULE": "/m.so", "RIAL_C2PA_PKCS11_TOKEN": "t",
        "RIAL_C2PA_PKCS11_PIN": "hunter2", "RIAL_C2PA_PKCS11_KEY": "k",
    ]
    private static let file = ["RIAL_C2PA_CERTIFICATES": pem, "RIAL_C2PA_PRIVATE_KEY": "-----BEGIN hunter2"]

    @Test("neither the key nor the token's PIN is ever shown", arguments: [token, file])
    func secrets(variables: [String: String]) throws {
        let settings = try SignerSettings(ServiceEnvironment(variables))
        var text = "\(settings)"
        dump(settings, to: &text)
        #expect(!text.contains("hunter2") && text.contains(Self.pem))
    }

    @Test("a key in a file and one in a token are refused together")
    func both() {
        let variables = Self.token.merging(Self.file) { $1 }
        let error = #expect(throws: SettingsError.self) { try SignerSettings(ServiceEnvironment(variables)) }
        #expect(error?.variable == "RIAL_C2PA_PRIVATE_KEY")
    }

    @Test(
        "each of the token's settings is asked for", arguments: ["RIAL_C2PA_PKCS11_TOKEN", "RIAL_C2PA_PKCS11_PIN", "RIAL_C2PA_PKCS11_KEY"])
    func missing(variable: String) {
        let variables = Self.token.filter { $0.key != variable }
        let error = #expect(throws: SettingsError.self) { try SignerSettings(ServiceEnvironment(variables)) }
        #expect(error?.variable == variable)
    }
}
