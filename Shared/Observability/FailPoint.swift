import Foundation
import Synchronization

/// A place between two effects where a test may kill the process, to show that nothing is lost there.
///
/// In development mode with `RIAL_FAIL_POINTS` naming a folder: a file in it with the point's name is removed and the process ends
/// by SIGKILL. Otherwise reaching a point costs one load.
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
