import CPKCS11
import Secrets
import Synchronization
import Testing

@testable import Signing

@Suite("Tries of a token's PIN", .serialized)
struct PINTriesTests {
    @Test(
        "the PIN is not tried if the token says that a wrong one would lock it",
        arguments: [CK_FLAGS(CKF_USER_PIN_FINAL_TRY), CK_FLAGS(CKF_USER_PIN_FINAL_TRY | CKF_USER_PIN_COUNT_LOW)])
    func lastTry(flags: CK_FLAGS) {
        let (problem, logins) = StubToken.logIn(flags: flags)
        #expect(logins == 0)
        #expect(problem?.mayPass == false)
        #expect(problem?.atStart == .configuration("one try of the PIN is left, which is not used: log in once with another tool"))
    }

    @Test(
        "a locked PIN is not tried", arguments: [CK_FLAGS(CKF_USER_PIN_LOCKED), CK_FLAGS(CKF_USER_PIN_LOCKED | CKF_USER_PIN_FINAL_TRY)])
    func locked(flags: CK_FLAGS) {
        let (problem, logins) = StubToken.logIn(flags: flags)
        #expect(logins == 0)
        #expect(problem?.mayPass == false)
        #expect(problem?.atStart == .configuration("the PIN is locked: set it again as the token's security officer"))
    }

    @Test(
        "any other PIN is tried once, whatever the token says of the security officer's",
        arguments: [CK_FLAGS(0), CK_FLAGS(CKF_USER_PIN_COUNT_LOW), CK_FLAGS(CKF_SO_PIN_FINAL_TRY | CKF_SO_PIN_LOCKED)])
    func tried(flags: CK_FLAGS) {
        let (problem, logins) = StubToken.logIn(flags: flags)
        #expect(logins == 1)
        #expect(problem?.message == nil)
    }
}

/// A library with one token, which accepts every PIN and says of it what it is told.
private enum StubToken {
    private struct State {
        var flags: CK_FLAGS = 0
        var logins = 0
    }

    /// The library's functions can capture nothing.
    private static let state = Mutex(State())

    /// - Returns: what kept a session from being opened, and how often the PIN was tried.
    static func logIn(flags: CK_FLAGS) -> (problem: TokenProblem?, logins: Int) {
        state.withLock { $0 = State(flags: flags) }
        var list = functions
        let problem = withUnsafeMutablePointer(to: &list) { functions -> TokenProblem? in
            let address = TokenAddress(tokenLabel: "stub", pin: Secret("1234"), keyLabel: "claims")
            do throws(TokenProblem) {
                _ = try TokenSession.logIn(address, in: PKCS11Module.Library(functions: functions))
                return nil
            } catch {
                return error
            }
        }
        return (problem, state.withLock { $0.logins })
    }

    private static var functions: CK_FUNCTION_LIST {
        var functions = CK_FUNCTION_LIST()
        functions.C_GetSlotList = { _, slots, count in
            slots?.pointee = 7
            count?.pointee = 1
            return CKR_OK
        }
        functions.C_GetTokenInfo = { _, information in
            guard let information else { return CKR_ARGUMENTS_BAD }
            information.pointee = CK_TOKEN_INFO()
            information.pointee.flags = StubToken.state.withLock { $0.flags }
            withUnsafeMutableBytes(of: &information.pointee.label) { $0.copyBytes(from: "stub".utf8) }
            return CKR_OK
        }
        functions.C_OpenSession = { _, _, _, _, session in
            session?.pointee = 1
            return CKR_OK
        }
        functions.C_Login = { _, _, _, _ in
            StubToken.state.withLock { $0.logins += 1 }
            return CKR_OK
        }
        functions.C_CloseSession = { _ in CKR_OK }
        return functions
    }
}
