/** The route of one room, which several functions share under different methods. */

// The host takes the first matching route in the order of function names: the parameter must not match the
// literal routes `room/list` and `room/bulk`. The form of the constraint was tried on the real host.
export const roomRoute = "room/{room_name:regex(^(?!list$|bulk$).+$)}";
