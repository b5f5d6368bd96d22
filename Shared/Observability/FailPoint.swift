import Foundation
import Synchronization

/// A point between two effects at which a test may kill the process, to show that nothing is lost.
///
/// In development mode `RIAL_FAIL_POINTS` may name a folder. If it holds a file with the point's name, the file is removed and the
/// process killed by SIGKILL. Otherwise reaching a point costs one atomic load.
public enum FailPoint {
    private static let folder = Mutex<String?>(nil)
    private static let isArmed = Atomic<Bool>(false)

    /// Called once at start, in development mode only.
    public static func arm(folder path: String) {
        folder.withLock { $0 = path }
        isArmed.store(true, ordering: .releasing)
    }

    public static func reached(_ name: @autoclosure () -> String) {
        guard isArmed.load(ordering: .acquiring), let folder = folder.withLock({ $0 }) else { return }
        if unlink(folder + "/" + name()) == 0 { kill(getpid(), SIGKILL) }
    }
}
