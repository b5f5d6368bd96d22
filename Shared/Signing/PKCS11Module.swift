import CPKCS11
import Foundation
import Synchronization

/// A PKCS#11 library, loaded once per process and never unloaded.
///
/// All calls into it are made under one lock, so that no call runs while it is re-initialised: C_Finalize ends the sessions of all signers.
final class PKCS11Module: Sendable {
    /// The library's state, to be used only under the lock.
    struct Library {
        let functions: UnsafeMutablePointer<CK_FUNCTION_LIST>
        fileprivate(set) var isInitialized = false
        /// Whether we called C_Initialize; only then may we call C_Finalize.
        fileprivate(set) var isOurs = false
        /// Counts initialisations; handles from an earlier one are invalid.
        fileprivate(set) var generation = 0
    }

    /// Keyed by the address of the function list, which is the same for all paths to one library.
    private static let loaded = Mutex<[UInt: PKCS11Module]>([:])
    private let library: Mutex<Library>

    private init(functions: sending UnsafeMutablePointer<CK_FUNCTION_LIST>) { library = Mutex(Library(functions: functions)) }

    /// - Parameter path: of the shared library.
    /// - Throws: ``SigningError/configuration(_:)`` if there is no such library.
    static func load(_ path: String) throws(SigningError) -> PKCS11Module {
        try loaded.withLock { loaded throws(SigningError) in
            let functions = try functionList(path)
            let address = UInt(bitPattern: functions)
            if let module = loaded[address] { return module }
            let module = PKCS11Module(functions: functions)
            loaded[address] = module
            return module
        }
    }

    /// Runs calls into the library, after initialising it if necessary. Blocks while other calls run.
    /// - Parameter renewing: re-initialise it first: some libraries detect tokens only then.
    func run<Value: Sendable>(renewing: Bool, _ body: (Library) throws(TokenProblem) -> Value) throws(TokenProblem) -> Value {
        try library.withLock { library throws(TokenProblem) in
            if renewing, library.isInitialized {
                if library.isOurs { _ = library.functions.pointee.C_Finalize?(nil) }
                library.isInitialized = false
            }
            if !library.isInitialized { try Self.initialize(&library) }
            return try body(library)
        }
    }

    private static func initialize(_ library: inout Library) throws(TokenProblem) {
        var arguments = CK_C_INITIALIZE_ARGS()
        arguments.flags = CK_FLAGS(CKF_OS_LOCKING_OK)
        let code = library.functions.pointee.C_Initialize?(&arguments) ?? CKR_FUNCTION_NOT_SUPPORTED
        guard code == CKR_OK || code == CKR_CRYPTOKI_ALREADY_INITIALIZED else {
            throw .failure(PKCS11Failure(function: "C_Initialize", code: code))
        }
        library.isInitialized = true
        // Already initialised by other code: our handles stay valid.
        guard code == CKR_OK else { return }
        library.isOurs = true
        library.generation &+= 1
    }

    private static func functionList(_ path: String) throws(SigningError) -> UnsafeMutablePointer<CK_FUNCTION_LIST> {
        // An empty path would open this program itself.
        guard !path.isEmpty else { throw .configuration("the PKCS#11 module has no path") }
        guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            throw .configuration("the PKCS#11 module cannot be loaded: \(dlerror().map { String(cString: $0) } ?? path)")
        }
        typealias GetFunctionList = @convention(c) (UnsafeMutablePointer<UnsafeMutablePointer<CK_FUNCTION_LIST>?>?) -> CK_RV
        guard let symbol = dlsym(handle, "C_GetFunctionList") else {
            dlclose(handle)
            throw .configuration("\(path) is not a PKCS#11 module: it has no C_GetFunctionList")
        }
        var list: UnsafeMutablePointer<CK_FUNCTION_LIST>?
        let code = unsafeBitCast(symbol, to: GetFunctionList.self)(&list)
        guard code == CKR_OK, let list else {
            throw .configuration("\(path): \(PKCS11Failure(function: "C_GetFunctionList", code: code))")
        }
        return list
    }
}

extension PKCS11Module.Library {
    /// Makes one call. A function that the library lacks counts as CKR_FUNCTION_NOT_SUPPORTED.
    func call(_ name: String, _ body: (borrowing CK_FUNCTION_LIST) -> CK_RV?) throws(TokenProblem) {
        let code = body(functions.pointee) ?? CKR_FUNCTION_NOT_SUPPORTED
        guard code == CKR_OK else { throw .failure(PKCS11Failure(function: name, code: code)) }
    }
}
