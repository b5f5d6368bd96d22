import ServiceRuntime
import Testing

@testable import TransparencyLogService

@Suite("The settings of the log's key")
struct LogKeySettingsTests {
    private static let token = [
        "RIAL_LOG_PKCS11_MODULE": "/m.so", "RIAL_LOG_PKCS11_TOKEN": "t", "RIAL_LOG_PKCS11_PIN": "hunter2", "RIAL_LOG_PKCS11_KEY": "k",
    ]
    private static let file = ["RIAL_LOG_PRIVATE_KEY": "-----BEGIN hunter2"]

    @Test("neither the key nor the token's PIN is ever shown", arguments: [token, file])
    func secrets(variables: [String: String]) throws {
        let settings = try SigningKeySettings.log(ServiceEnvironment(variables))
        var text = "\(settings)"
        dump(settings, to: &text)
        #expect(!text.contains("hunter2") && text.contains("secret"))
    }

    @Test("a key in a file and one in a token are refused together")
    func both() {
        let variables = Self.token.merging(Self.file) { $1 }
        let error = #expect(throws: SettingsError.self) { try SigningKeySettings.log(ServiceEnvironment(variables)) }
        #expect(error?.variable == "RIAL_LOG_PRIVATE_KEY")
    }
}
